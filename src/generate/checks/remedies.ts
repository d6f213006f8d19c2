/** What to do about an error of the API server's, by the keyword that it speaks of and its text. The first that fits counts. */
const remedies: readonly (readonly [keyword: RegExp, message: RegExp, remedy: string])[] = [
  [/^x-kubernetes-list-map-keys/, /must all be names/, 'name members of the items, or add the member'],
  [/^default/, /in x-kubernetes-list-map-keys/, "take the '?' away, or give the member a default"],
  [/^nullable/, /x-kubernetes-list-map-keys|list-type is map/, 'a key cannot be null: take null away'],
  [/^type/, /must be a scalar type if parent array/, 'use a member with a text, a number or a boolean as key'],
  [
    /^type/,
    /must be object if parent array/,
    "use ListType('set') or ListType('atomic') for lists of texts and numbers",
  ],
  [
    /^x-kubernetes-map-type/,
    /item of a list with x-kubernetes-list-type=set/,
    "use ListType('map', ...) with the members that tell items apart, or MapType('atomic') on the items' type",
  ],
  [
    /^x-kubernetes-list-type/,
    /item of a list with x-kubernetes-list-type=set/,
    "use ListType('atomic') for the items too",
  ],
  [/^default/, /unknown fields/, 'declare the member, or take it out of the default'],
  [/^default/, /Required value/, 'give the member in the default, make it optional, or give it a default of its own'],
  [/^default/, /Unsupported value/, 'use one of the values'],
  [/^default/, /must be of type/, "use a value of the member's type"],
  [/^default/, /./, 'use a value that the markers of the member let pass'],
  [
    /^pattern/,
    /invalid escape sequence/,
    'RE2 has no references to groups and no \\u; write the characters themselves, or a rule',
  ],
  [
    /^pattern/,
    /unsupported Perl syntax/,
    'RE2 has no look-around; use two patterns, or the marker Validation with a rule',
  ],
  [/^pattern/, /repeat count/, 'RE2 repeats at most 1000 times; use MaxLength'],
  [/^pattern/, /./, 'the API server reads patterns as RE2 does: https://github.com/google/re2/wiki/Syntax'],
  [/^uniqueItems/, /./, "use the marker ListType('set')"],
  [/^items$/, /Required/, "write items: { type: '...' } beside type: 'array'"],
  [
    /^(type|items|properties|additionalProperties|description|default|title|nullable|x-kubernetes)/,
    /to be structural/,
    'inside allOf, anyOf, oneOf and not stand only keywords that check values',
  ],
  [
    /^type/,
    /must not be empty for specified/,
    "write the type, or 'x-kubernetes-preserve-unknown-fields': true for any value",
  ],
  [/^type/, /Unsupported value/, 'use one of the types'],
  [
    /^x-kubernetes-validations.*rule$/,
    /cost|budget/,
    'bound what the rule runs over: MaxItems, MaxProperties and MaxLength on the lists, maps and texts; or simplify it',
  ],
  [
    /^x-kubernetes-validations.*messageExpression$/,
    /cost|budget/,
    'to the API server string(...) of a number has no bound: leave it out, and give texts that are used a MaxLength',
  ],
  [
    /^$/,
    /estimated rule cost total/,
    'bound what the rules run over: MaxItems, MaxProperties and MaxLength on the lists, maps and texts',
  ],
  [
    /^x-kubernetes-validations.*/,
    /oldSelf cannot be used on the uncorrelatable/,
    "give the list around it ListType('map', ...), or put the rule on the list",
  ],
  [/^x-kubernetes-validations.*optionalOldSelf/, /./, 'leave optionalOldSelf out, or use oldSelf in the rule'],
  [
    /^x-kubernetes-validations.*/,
    /undefined field/,
    'name a member that is declared; what is open or without a schema is not seen by rules',
  ],
  [
    /^x-kubernetes-validations.*/,
    /undeclared reference/,
    'rules know self, oldSelf and the functions of the Kubernetes version of the project',
  ],
  [/^x-kubernetes-validations.*rule$/, /must evaluate to a bool/, 'compare: a rule is true or false'],
  [/^x-kubernetes-validations.*messageExpression$/, /must evaluate to a string/, 'make it a text: string(...)'],
  [/^x-kubernetes-validations.*fieldPath$/, /./, "write the path of a declared member, such as '.size'"],
  [
    /^x-kubernetes-validations.*/,
    /no matching overload/,
    'compare values of one type, and call functions with the types that they take; int(), string() and double() convert',
  ],
  [
    /^x-kubernetes-validations.*/,
    /Syntax error/,
    'the language of rules: https://kubernetes.io/docs/reference/using-api/cel',
  ],
  [/^names\.plural|^metadata\.name/, /./, "set 'plural' in Resource: lower-case letters, digits and '-'"],
  [
    /^selectableFields/,
    /./,
    'select a member that is a text, a whole number or a boolean, by a plain path such as .spec.name',
  ],
];

/** What to do about an error, where something can be said that the error does not say itself. */
export function remedyFor(keyword: string, message: string): string | undefined {
  return remedies.find(([at, text]) => at.test(keyword) && text.test(message))?.[2];
}
