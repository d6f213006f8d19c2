import type { SourcePosition } from './diagnostic.ts';

/** One permission that a call in the operator's sources needs. */
export interface PermissionUse {
  /** `''` for the core group. */
  readonly group: string;
  /** `widgets`, or `widgets/status`. */
  readonly resource: string;
  readonly verb: string;
  /** The one object concerned, where the source says which. */
  readonly name?: string;
  /** The namespace concerned, where the source says which. */
  readonly namespace?: string;
  /** Whether only the operator's own namespace is concerned, whatever its name. */
  readonly ownNamespace?: boolean;
  /** Whether the resource has no namespaces; left out where that is not known. */
  readonly clusterScoped?: boolean;
  /** The call, and what it needs the permission for: `client.get(Widget): the cache`. */
  readonly reason: string;
  readonly position: SourcePosition;
}

/** A call that may need permissions, of which the source does not say which. */
export interface UnresolvedCall {
  /** The call, shortened. */
  readonly call: string;
  readonly problem: string;
  /** The verbs that it needs on some resource; empty where not even these are known. */
  readonly verbs: readonly string[];
  readonly position: SourcePosition;
}

/** A class that can carry `Rbac` markers, for those who insert one. Offsets count UTF-16 units of the file's text. */
export interface MarkerPlace {
  readonly file: string;
  readonly className: string;
  /** The lines of the class with its comment and decorators, counted from 1, both inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Whether it has the method of a reconciler. */
  readonly reconciles: boolean;
  /** How its markers are written: as those that it has, else as those of its file. Undefined where there is none to go by. */
  readonly notation: 'decorator' | 'tag' | undefined;
  /** What the decorator is called in the file (`Rbac`, `m.Rbac`); undefined where it is not imported. */
  readonly decoratorName: string | undefined;
  /** Where a new decorator goes, as a line of its own: behind the last `Rbac`, else before the class. */
  readonly decoratorOffset: number;
  /** Its doc comment, `/**` included; undefined where it has none. */
  readonly comment: { readonly start: number; readonly end: number } | undefined;
  /** Where a new doc comment goes. */
  readonly commentOffset: number;
  /** Where an import declaration goes, as a line of its own. */
  readonly importOffset: number;
  /** Behind the last name of an import of `operator-runtime/markers`; undefined where there is none. */
  readonly markerImportOffset: number | undefined;
}

/** What the operator's sources need, in the order of files and lines. */
export interface CallReport {
  readonly uses: readonly PermissionUse[];
  /** What the runtime asks for of its own accord, and does without where it is refused: the events of its guards. */
  readonly optional: readonly PermissionUse[];
  readonly unresolved: readonly UnresolvedCall[];
  readonly places: readonly MarkerPlace[];
  /** Whether a manager is made in the sources: then they are a whole program. */
  readonly makesManager: boolean;
  /** Whether the manager may be told to watch single namespaces only; true where no manager is made in the sources. */
  readonly namespacedCache: boolean;
}
