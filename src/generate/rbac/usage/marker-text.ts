/** What a new `Rbac` marker grants. */
export interface NewMarker {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly namespace?: string | undefined;
}

export interface MarkerStyle {
  readonly notation: 'decorator' | 'tag';
  /** What the decorator is called: `Rbac`. */
  readonly decoratorName: string;
  readonly quote: "'" | '"';
}

const plainStyle: MarkerStyle = { notation: 'decorator', decoratorName: 'Rbac', quote: "'" };

/** One marker on one line: `@Rbac({ groups: ['apps'], resources: ['deployments'], verbs: ['get'] })`, or the same as a tag. */
export function markerText(marker: NewMarker, style: MarkerStyle = plainStyle): string {
  const [head, body] = [style.notation === 'tag' ? '@rbac ' : `@${style.decoratorName}(`, members(marker, style)];
  return `${head}{ ${body.join(', ')} }${style.notation === 'tag' ? '' : ')'}`;
}

/** The members of a marker's argument, each as it is written. */
export function members({ group, resources, verbs, namespace }: NewMarker, { quote }: MarkerStyle): string[] {
  const list = (texts: readonly string[]): string => `[${texts.map((text) => `${quote}${text}${quote}`).join(', ')}]`;
  return [
    `groups: ${list([group])}`,
    `resources: ${list(resources)}`,
    `verbs: ${list(verbs)}`,
    ...(namespace === undefined ? [] : [`namespace: ${quote}${namespace}${quote}`]),
  ];
}
