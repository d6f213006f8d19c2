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

/** A class that can carry `Rbac` markers, for those who insert one. */
export interface MarkerPlace {
  readonly file: string;
  readonly className: string;
  /** The lines of the class, counted from 1, both inclusive. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Whether it has the method of a reconciler. */
  readonly reconciles: boolean;
  /** How its markers are written: as those that it has, else as those of its file. Undefined where there is none to go by. */
  readonly notation: 'decorator' | 'tag' | undefined;
  /** What the decorator is called in the file (`Rbac`, `m.Rbac`); undefined where it is not imported. */
  readonly decoratorName: string | undefined;
  /** Offset in the text at which a new decorator goes: behind the last `Rbac`, else before the class. */
  readonly decoratorOffset: number;
  /** Offset behind the last line of text or tag of its doc comment; undefined where it has none. */
  readonly tagOffset: number | undefined;
  /** Offset at which a new doc comment goes. */
  readonly commentOffset: number;
  /** Where an import declaration goes. */
  readonly importOffset: number;
  /** The offset behind the last name in an import of `operator-runtime/markers`; undefined where there is none. */
  readonly markerImportOffset: number | undefined;
}

/** What the operator's sources need, in the order of files and lines. */
export interface CallReport {
  readonly uses: readonly PermissionUse[];
  readonly unresolved: readonly UnresolvedCall[];
  readonly places: readonly MarkerPlace[];
  /** Whether the manager may be told to watch single namespaces only; true where no manager is made in the sources. */
  readonly namespacedCache: boolean;
}
