import {
  at,
  fromPlain,
  jsonObject,
  object,
  text,
  texts,
  type Json,
  type JsonObject,
  type MutableObject,
} from '../json.ts';
import { invalidValue } from '../field-error.ts';
import { badRequest, invalid } from '../status.ts';
import { summarizeRules, type Attributes, type Decision, type RbacAuthorizer } from './rbac.ts';
import { makeUser, type User } from './user.ts';

export interface ReviewContext {
  readonly user: User;
  readonly namespace: string;
  readonly authorizer: RbacAuthorizer;
  /** Whether somebody may do something; where nothing is checked everybody may do everything. */
  readonly authorize: RbacAuthorizer['authorize'];
  /** The time as objects show it. */
  readonly now: string;
  readonly authenticateToken: (
    token: string,
  ) => { readonly user: User; readonly audiences: readonly string[] } | undefined;
}

/** Resources that are only asked and never stored: a POST gives the answer in `status`. */
const reviews: Readonly<Record<string, (document: JsonObject, context: ReviewContext) => Json>> = {
  selfsubjectaccessreviews: (document, { user, authorize }) => accessStatus(authorize(attributesOf(document, user))),
  subjectaccessreviews: (document, { authorize }) =>
    accessStatus(authorize(attributesOf(document, subjectOf(document)))),
  localsubjectaccessreviews: (document, { authorize, namespace }) => {
    if (text(document, 'spec', 'resourceAttributes', 'namespace') !== namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    }
    return accessStatus(authorize(attributesOf(document, subjectOf(document))));
  },
  selfsubjectrulesreviews: (document, { user, authorizer }) => {
    const namespace = text(document, 'spec', 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const problems: string[] = [];
    const rules = authorizer.rulesFor(user, namespace, problems);
    return fromPlain({
      ...summarizeRules(rules),
      incomplete: false,
      ...(problems.length > 0 && { evaluationError: problems.join(', ') }),
    });
  },
  selfsubjectreviews: (_document, { user }) => fromPlain({ userInfo: userInfo(user) }),
  tokenreviews: (document, { authenticateToken }) => {
    const found = authenticateToken(text(document, 'spec', 'token'));
    if (found === undefined) return fromPlain({ user: {}, error: 'invalid bearer token' });
    const wanted = texts(document, 'spec', 'audiences');
    const audiences = wanted.filter((audience) => found.audiences.includes(audience));
    if (wanted.length > 0 && found.audiences.length > 0 && audiences.length === 0) {
      return fromPlain({
        user: {},
        error: `[invalid bearer token, token audiences ${JSON.stringify(found.audiences)} is invalid for the target audiences ${JSON.stringify(wanted)}]`,
      });
    }
    return fromPlain({
      authenticated: true,
      user: userInfo(found.user),
      ...((wanted.length > 0 || found.audiences.length > 0) && {
        audiences: wanted.length > 0 ? audiences : found.audiences,
      }),
    });
  },
};

export function isReview(resource: string): boolean {
  return Object.hasOwn(reviews, resource);
}

/** Answers a review; the document comes back with its status. */
export function review(resource: string, document: MutableObject, context: ReviewContext): JsonObject {
  const answer = reviews[resource];
  if (answer === undefined) throw new Error(`${resource} is no review`);
  const result = jsonObject(Object.entries(document));
  const metadata = jsonObject(Object.entries(object(document, 'metadata')));
  if (resource === 'selfsubjectreviews') metadata['creationTimestamp'] = context.now;
  if (resource === 'selfsubjectrulesreviews') {
    // The real server answers with the status alone.
    delete metadata['managedFields'];
    result['spec'] = jsonObject();
  }
  result['metadata'] = metadata;
  result['status'] = answer(document, context);
  return result;
}

function userInfo(user: User): Record<string, unknown> {
  return {
    username: user.name,
    uid: user.uid === '' ? undefined : user.uid,
    groups: user.groups,
    extra: Object.keys(user.extra).length === 0 ? undefined : user.extra,
  };
}

function subjectOf(document: JsonObject): User {
  const spec = object(document, 'spec');
  const extra = Object.fromEntries(
    Object.entries(object(spec, 'extra')).map(([name, values]) => [
      name,
      Array.isArray(values) ? (values as string[]) : [],
    ]),
  );
  // The groups are taken as they are given: nothing is added for the asker.
  return { ...makeUser(text(spec, 'user'), [], text(spec, 'uid'), extra), groups: texts(spec, 'groups') };
}

function attributesOf(document: JsonObject, user: User): Attributes {
  const spec = object(document, 'spec');
  const path = at(spec, 'nonResourceAttributes');
  if ((path === undefined) === (at(spec, 'resourceAttributes') === undefined)) {
    const problem = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalid('authorization.k8s.io', '', '', [invalidValue('spec', null, problem)]);
  }
  if (path !== undefined) {
    return {
      user,
      verb: text(path, 'verb'),
      resourceRequest: false,
      namespace: '',
      group: '',
      resource: '',
      subresource: '',
      name: '',
      path: text(path, 'path'),
    };
  }
  const wanted = object(spec, 'resourceAttributes');
  return {
    user,
    verb: text(wanted, 'verb'),
    resourceRequest: true,
    namespace: text(wanted, 'namespace'),
    group: text(wanted, 'group'),
    resource: text(wanted, 'resource'),
    subresource: text(wanted, 'subresource'),
    name: text(wanted, 'name'),
    path: '',
  };
}

function accessStatus(decision: Decision): Json {
  return fromPlain({ allowed: decision.allowed, ...(decision.reason !== '' && { reason: decision.reason }) });
}
