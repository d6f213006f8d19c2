import type { ConversionWebhook, Diagnostic, Kind } from '../../model/index.ts';
import { nearest } from '../../markers/suggestion.ts';
import { webhookService } from '../webhook/service.ts';

/** That a webhook converts the objects of a kind from one version to another. There is no marker for it: it is a fact of the whole kind. */
export interface ConversionDeclaration {
  readonly group: string;
  readonly kind: string;
  /** The file or flag that says so, for messages: `operator.json`. */
  readonly declaredIn: string;
}

/** Where controller-runtime's and our webhook servers convert the objects of all kinds. */
const conversionWebhook: ConversionWebhook = {
  serviceName: webhookService.name,
  serviceNamespace: webhookService.namespace,
  path: '/convert',
  conversionReviewVersions: ['v1'],
};

/** The kinds with the conversion webhooks that are declared for them; a declaration for a kind that is not there is an error. */
export function withConversions(
  kinds: readonly Kind[],
  declarations: readonly ConversionDeclaration[],
): { readonly kinds: readonly Kind[]; readonly diagnostics: readonly Diagnostic[] } {
  const isFor =
    (kind: Kind) =>
    (declaration: ConversionDeclaration): boolean =>
      declaration.group === kind.group && declaration.kind === kind.kind;
  const unknown = declarations.filter((declaration) => !kinds.some((kind) => isFor(kind)(declaration)));
  return {
    kinds: kinds.map((kind) => (declarations.some(isFor(kind)) ? { ...kind, conversion: conversionWebhook } : kind)),
    diagnostics: unknown.map((declaration) => unknownKind(declaration, kinds)),
  };
}

function unknownKind({ group, kind, declaredIn }: ConversionDeclaration, kinds: readonly Kind[]): Diagnostic {
  const names = kinds.map((each) => `${each.kind}.${each.group}`);
  const meant = nearest(`${kind}.${group}`, names);
  const known = names.length === 0 ? 'the sources declare no kind' : `the sources declare ${names.join(', ')}`;
  return {
    code: 'CO2060',
    severity: 'error',
    message: `${declaredIn} declares a conversion webhook for ${kind} in ${group}, which is no kind of the sources`,
    remedy: meant === undefined ? known : `did you mean ${meant}?`,
  };
}
