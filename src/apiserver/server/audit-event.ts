/** One request that was served, for audits: which permissions an operator used, and which it lacked. */
export interface AuditEvent {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly allowed: boolean;
  /** The HTTP status of the answer; 0 when none was sent. */
  readonly code: number;
  /** What admission policies had to say: failed validations with the action `Audit`, and `auditAnnotations`. */
  readonly annotations?: Readonly<Record<string, string>>;
}
