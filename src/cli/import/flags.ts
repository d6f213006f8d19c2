/** The flags of `import` as commander gives them. */
export interface ImportFlags {
  readonly out: string;
  readonly types?: boolean;
}
