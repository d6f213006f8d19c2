import type { KubernetesObject } from 'operator-runtime';
import { Deployment } from 'operator-runtime/apis/apps/v1';
import type { PodTemplateSpec, PodTemplateSpecListKeys } from 'operator-runtime/apis/core/v1';
import { Service } from 'operator-runtime/apis/core/v1';
import type { ApplyConfiguration, Client, KindClient } from 'operator-runtime';
import { applyIfChanged, kindClient, type Kind } from 'operator-runtime';

interface Widget extends KubernetesObject {
  apiVersion: 'example.com/v1';
  kind: 'Widget';
  spec: {
    ports: { name: string; port: number; protocol?: string }[];
    zones?: Record<string, { hosts: { ip: string; names?: string[] }[] }>;
    steps?: { image: string; env: { name: string; value?: string }[] }[];
    template?: PodTemplateSpec;
  };
  status?: { conditions?: { type: string; status: string }[] };
}
/** As `generate` writes it. */
interface WidgetListKeys {
  spec: {
    ports: ['name'];
    zones: { [name: string]: { hosts: ['ip'] } };
    steps: [never, { env: ['name'] }];
    template: PodTemplateSpecListKeys;
  };
  status: { conditions: ['type'] };
}
type WidgetApplyConfiguration = ApplyConfiguration<Widget, 'Namespaced', WidgetListKeys>;

declare const Widget: Kind<Widget, 'Namespaced', 'status', WidgetListKeys>;
declare const client: Client;
const metadata = { name: 'a', namespace: 'b' };

export const whole: WidgetApplyConfiguration = {
  metadata,
  spec: {
    ports: [{ name: 'http', port: 80 }, { name: 'https' }],
    zones: { a: { hosts: [{ ip: '::1' }] } },
    steps: [{}, { env: [{ name: 'A' }] }],
    template: { spec: { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] } },
  },
  status: { conditions: [{ type: 'Ready' }] },
};
// @ts-expect-error an item of a list that is a map has its key
export const noKey: WidgetApplyConfiguration = { metadata, spec: { ports: [{ port: 80 }] } };
// @ts-expect-error also below a map
export const belowMap: WidgetApplyConfiguration = { metadata, spec: { zones: { a: { hosts: [{}] } } } };
// @ts-expect-error also below a list that is none
export const belowList: WidgetApplyConfiguration = { metadata, spec: { steps: [{ env: [{ value: 'x' }] }] } };
export const belowPod: WidgetApplyConfiguration = {
  metadata,
  // @ts-expect-error also in what Kubernetes defines
  spec: { template: { spec: { containers: [{ image: 'x' }] } } },
};

export async function applies(): Promise<void> {
  await client.apply(Widget, { metadata, spec: { ports: [{ name: 'http' }] } });
  // @ts-expect-error the key
  await client.apply(Widget, { metadata, spec: { ports: [{ port: 1 }] } });
  await client.status.apply(Widget, { metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  // @ts-expect-error the key
  await client.status.apply(Widget, { metadata, status: { conditions: [{ status: 'True' }] } });
  const widgets: KindClient<Widget, 'status', WidgetListKeys> = kindClient(client, Widget, 'b');
  await widgets.apply({ metadata: { name: 'a' }, spec: { ports: [{ name: 'http' }] } });
  // @ts-expect-error the key
  await widgets.apply({ metadata: { name: 'a' }, spec: { ports: [{ port: 1 }] } });
  // @ts-expect-error the key
  await widgets.status.apply({ metadata: { name: 'a' }, status: { conditions: [{ status: 'True' }] } });
  // @ts-expect-error the key
  await applyIfChanged(client, Widget, { metadata, spec: { ports: [{ port: 1 }] } });

  await client.apply(Deployment, { metadata, spec: { template: { spec: { containers: [{ name: 'main' }] } } } });
  // @ts-expect-error a container has its name
  await client.apply(Deployment, { metadata, spec: { template: { spec: { containers: [{ image: 'x' }] } } } });
  // A key with a default may be left out: the protocol.
  await client.apply(Service, { metadata, spec: { ports: [{ port: 80 }] } });
  // @ts-expect-error a port has its number
  await client.apply(Service, { metadata, spec: { ports: [{ name: 'http' }] } });
  // @ts-expect-error an owner has its uid
  await client.apply(Service, { metadata: { ...metadata, ownerReferences: [{ name: 'a' }] } });
}

/** A kind with keys is a kind. */
export const any: Kind = Widget;
export const without: Kind<Widget, 'Namespaced', 'status'> = Widget;
