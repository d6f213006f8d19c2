import { CelType } from '../types.ts';
import { CelObject, noSuchOverload, type Value } from '../values.ts';

function struct(name: string): CelType {
  return new CelType('struct', `kubernetes.authorization.${name}`);
}

export const authorizerType = struct('Authorizer');
export const pathCheckType = struct('PathCheck');
export const groupCheckType = struct('GroupCheck');
export const resourceCheckType = struct('ResourceCheck');
export const decisionType = struct('Decision');

/** What an expression asks the authorizer about: a resource or, with `path`, a URL that is none. */
export interface AuthorizationQuestion {
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

export interface AuthorizationAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  /** What went wrong while it was decided; `''` for nothing. */
  readonly error: string;
}

/** Decides for one user; what expressions know as `authorizer`. */
export interface PolicyAuthorizer {
  check(question: AuthorizationQuestion): AuthorizationAnswer;
  /** The authorizer of a service account. */
  forServiceAccount(namespace: string, name: string): PolicyAuthorizer;
}

/** Values that only functions can be called on. */
abstract class Receiver extends CelObject {
  override equal(other: Value): Value {
    return other instanceof Receiver ? this === other : noSuchOverload(other);
  }
}

export class AuthorizerValue extends Receiver {
  override readonly type = authorizerType;
  readonly authorizer: PolicyAuthorizer;

  constructor(authorizer: PolicyAuthorizer) {
    super();
    this.authorizer = authorizer;
  }
}

export class PathCheck extends Receiver {
  override readonly type = pathCheckType;
  readonly authorizer: PolicyAuthorizer;
  readonly path: string;

  constructor(authorizer: PolicyAuthorizer, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

export class GroupCheck extends Receiver {
  override readonly type = groupCheckType;
  readonly authorizer: PolicyAuthorizer;
  readonly group: string;

  constructor(authorizer: PolicyAuthorizer, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

type ResourceAttributes = Omit<AuthorizationQuestion, 'path' | 'verb'>;

export class ResourceCheck extends Receiver {
  override readonly type = resourceCheckType;
  readonly authorizer: PolicyAuthorizer;
  readonly attributes: ResourceAttributes;

  constructor(authorizer: PolicyAuthorizer, attributes: ResourceAttributes) {
    super();
    this.authorizer = authorizer;
    this.attributes = attributes;
  }

  /** The same check with some of its attributes replaced. */
  with(attributes: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.attributes, ...attributes });
  }
}

export class DecisionValue extends Receiver {
  override readonly type = decisionType;
  readonly answer: AuthorizationAnswer;

  constructor(answer: AuthorizationAnswer) {
    super();
    this.answer = answer;
  }
}
