/** The tags of TSDoc and JSDoc that mean something to other tools and pass here; markers come first where a name is both. */
export const standardTags: ReadonlySet<string> = new Set(
  `abstract access alias alpha arg argument async augments author beta borrows callback category class classdesc constant
  const constructor constructs copyright decorator defaultValue deprecated desc description emits eventProperty event exception
  experimental export exports extends external file fileoverview fires func function generator global group hidden hideconstructor
  host implements import inheritDoc inheritdoc inline inner instance interface internal kind label lends license link linkcode
  linkplain listens member memberof method mixes mixin module modifier name namespace overload override overview
  package packageDocumentation param privateRemarks preventInline private prop property protected public readonly remarks
  return returns satisfies sealed see sgroup since static summary template this throw throws todo tutorial type typedef
  typeParam typeparam var variation version virtual yield yields`.split(/\s+/),
);
