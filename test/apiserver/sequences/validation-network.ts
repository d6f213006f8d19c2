import { mergePatch, type Sequence, type Step } from '../sequence.ts';
import { core, labels, namespace } from './parts.ts';

type Plain = Record<string, unknown>;

const dryRun = '?dryRun=All';
const network = (resource: string): string => `/apis/networking.k8s.io/v1/namespaces/network-rules/${resource}`;
const tried = (path: string, spec: Plain, metadata: Plain = {}): Step => ({
  path: `${path}${dryRun}`,
  body: { metadata: { name: 'n', ...metadata }, spec },
});
const ports = [{ port: 80 }];
const service = (spec: Plain, metadata: Plain = {}): Step =>
  tried(core('network-rules', 'services'), { ports, ...spec }, metadata);
const backend = { service: { name: 'web', port: { number: 80 } } };
const ingress = (spec: Plain): Step => tried(network('ingresses'), spec);
const ingressPath = (path: Plain): Step =>
  ingress({ rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] } }] });
const policy = (spec: Plain): Step => tried(network('networkpolicies'), { podSelector: {}, ...spec });
const patch = (path: string, spec: Plain): Step => ({ method: 'PATCH', path, headers: mergePatch, body: { spec } });

/** What Services, Ingresses and NetworkPolicies may say and what they may change. */
export const networkValidationSequences: readonly Sequence[] = [
  {
    name: 'rules of services',
    steps: [
      namespace('network-rules'),
      service({ ports: [] }),
      service({ type: 'Other' }),
      service({ clusterIP: 'nonsense' }),
      service({ clusterIP: '1.2.3.4' }),
      service({ clusterIP: 'None' }),
      service({ clusterIP: 'None', ports: [] }),
      service({ clusterIP: 'None', type: 'NodePort' }),
      service({ clusterIPs: ['None'] }),
      service({ clusterIP: '10.0.0.99', clusterIPs: ['10.0.0.98'] }),
      service({ type: 'ExternalName' }),
      service({ type: 'ExternalName', externalName: 'A_b' }),
      service({ type: 'ExternalName', externalName: 'example.com', clusterIP: '10.0.0.77' }),
      service({ ports: [{ port: 80 }, { port: 81 }] }),
      service({
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'a' },
        ],
      }),
      service({
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      }),
      service({ ports: [{ port: 80, name: 'A' }] }),
      service({ ports: [{ port: 80, protocol: 'HTTP' }] }),
      service({ ports: [{ port: 80, targetPort: 0 }] }),
      service({ ports: [{ port: 80, targetPort: 'A b' }] }),
      service({ ports: [{ port: 80, targetPort: 'a-name-that-is-too-long' }] }),
      service({ ports: [{ port: 80, nodePort: 30_080 }] }),
      ...[80, 70_000].map((nodePort) => ({
        path: core('network-rules', 'services'),
        body: { metadata: { name: 'n' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } },
      })),
      service({ ports: [{ port: 80, appProtocol: 'a b' }] }),
      service({ selector: { 'a b': 'x' } }),
      service({ sessionAffinity: 'Other' }),
      service({ sessionAffinity: 'ClientIP' }),
      service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
      service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }),
      service({ externalIPs: ['x', '127.0.0.1'] }),
      service({ externalTrafficPolicy: 'Local' }),
      service({ type: 'LoadBalancer', externalTrafficPolicy: 'Other' }),
      service({ internalTrafficPolicy: 'Other' }),
      service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
      service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0'] }),
      service({ loadBalancerClass: 'example.com/a' }),
      service({ type: 'LoadBalancer', loadBalancerClass: 'a b' }),
      service({ allocateLoadBalancerNodePorts: true }),
      service({ type: 'LoadBalancer', healthCheckNodePort: 30_000 }),
      service({ ipFamilies: ['IPv5'] }),
      service({ ipFamilyPolicy: 'Other' }),
      service({ ipFamilies: ['IPv6'] }),
      service({ ipFamilyPolicy: 'RequireDualStack' }),
      service({ ipFamilyPolicy: 'PreferDualStack' }),
      service({}, { name: '1abc' }),
      service({}, { name: 'a.b' }),
      service({ trafficDistribution: 'Anywhere' }),
      service({ trafficDistribution: 'PreferClose' }),
    ],
  },
  {
    name: 'changes of services',
    steps: [
      { path: core('network-rules', 'services'), body: { metadata: { name: 's' }, spec: { ports, selector: labels } } },
      patch(core('network-rules', `services/s${dryRun}`), { clusterIP: '10.0.0.88', clusterIPs: ['10.0.0.88'] }),
      patch(core('network-rules', `services/s${dryRun}`), { clusterIP: 'None' }),
      patch(core('network-rules', `services/s${dryRun}`), { clusterIP: '' }),
      patch(core('network-rules', `services/s${dryRun}`), { ports: [] }),
      patch(core('network-rules', `services/s${dryRun}`), { ipFamilies: ['IPv6'] }),
      patch(core('network-rules', `services/s${dryRun}`), { type: 'ExternalName' }),
      patch(core('network-rules', `services/s${dryRun}`), {
        type: 'ExternalName',
        externalName: 'example.com',
        clusterIP: null,
        clusterIPs: null,
      }),
      patch(core('network-rules', 'services/s'), { type: 'ExternalName', externalName: 'example.com' }),
      { path: core('network-rules', 'services/s') },
      patch(core('network-rules', 'services/s'), { type: 'ClusterIP', externalName: null }),
      patch(core('network-rules', 'services/s'), { sessionAffinity: 'ClientIP' }),
      patch(core('network-rules', 'services/s'), { sessionAffinity: 'None' }),
      { method: 'DELETE', path: core('network-rules', 'services/s') },
      {
        path: core('network-rules', 'services'),
        body: { metadata: { name: 'lb' }, spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30_300 }] } },
      },
      patch(core('network-rules', `services/lb${dryRun}`), { type: 'ClusterIP' }),
      patch(core('network-rules', `services/lb${dryRun}`), { loadBalancerClass: 'example.com/x' }),
      patch(core('network-rules', `services/lb${dryRun}`), { type: 'NodePort' }),
      patch(core('network-rules', `services/lb${dryRun}`), { allocateLoadBalancerNodePorts: false }),
      {
        path: core('network-rules', `services${dryRun}`),
        body: { metadata: { name: 'np' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_300 }] } },
      },
      patch(core('network-rules', 'services/lb'), { type: 'ClusterIP' }),
      {
        method: 'PATCH',
        path: core('network-rules', `services/lb/status${dryRun}`),
        headers: mergePatch,
        body: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4', hostname: 'a.example.com' }] } } },
      },
    ],
  },
  {
    name: 'rules of ingresses',
    steps: [
      ingress({}),
      ingress({ defaultBackend: backend }),
      ingress({ defaultBackend: {} }),
      ingress({ defaultBackend: { service: { name: '', port: {} } } }),
      ingress({ defaultBackend: { service: { name: 'A', port: { number: 80, name: 'http' } } } }),
      ingress({ defaultBackend: { service: { name: 'a', port: { number: 70_000 } } } }),
      ingress({ defaultBackend: { service: { name: 'a', port: { name: 'A b' } } } }),
      ingress({ defaultBackend: { ...backend, resource: { kind: 'Bucket', name: 'b' } } }),
      ingress({ defaultBackend: { resource: { kind: '', name: '' } } }),
      ingress({ rules: [{}] }),
      ingress({ rules: [{ host: 'A b', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] }),
      ingress({ rules: [{ host: '1.2.3.4', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] }),
      ingress({ rules: [{ host: '*.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] }),
      ingress({ rules: [{ host: '*.*.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] }),
      ingress({ rules: [{ http: { paths: [] } }] }),
      ingressPath({}),
      ingressPath({ pathType: undefined }),
      ingressPath({ pathType: 'Regex' }),
      ingressPath({ path: 'a' }),
      ingressPath({ path: undefined }),
      ingressPath({ path: '/a//b' }),
      ingressPath({ path: '/a/../b', pathType: 'Exact' }),
      ingressPath({ path: '/a%2fb' }),
      ingressPath({ path: 'a', pathType: 'ImplementationSpecific' }),
      ingressPath({ backend: {} }),
      ingress({ defaultBackend: backend, tls: [{ hosts: ['A b'], secretName: 'A' }] }),
      ingress({ defaultBackend: backend, ingressClassName: 'A b' }),
      {
        path: `${network('ingresses')}${dryRun}`,
        body: {
          metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
          spec: { defaultBackend: backend, ingressClassName: 'y' },
        },
      },
    ],
  },
  {
    name: 'rules of network policies',
    steps: [
      policy({}),
      policy({ podSelector: { matchLabels: { 'a b': 'x' } } }),
      policy({ podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      policy({ policyTypes: ['Sideways'] }),
      policy({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
      policy({ ingress: [{}], egress: [{}] }),
      policy({ ingress: [{ from: [{}] }] }),
      policy({ ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] }),
      policy({ ingress: [{ from: [{ ipBlock: { cidr: '' } }] }] }),
      policy({ ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1' } }] }] }),
      policy({ egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/8'] } }] }] }),
      policy({ egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }] }),
      policy({ ingress: [{ ports: [{ port: 0 }] }] }),
      policy({ ingress: [{ ports: [{ port: 'A b' }] }] }),
      policy({ ingress: [{ ports: [{ protocol: 'HTTP', port: 80 }] }] }),
      policy({ ingress: [{ ports: [{ port: 80, endPort: 70 }] }] }),
      policy({ ingress: [{ ports: [{ endPort: 70 }] }] }),
      policy({ ingress: [{ ports: [{ port: 'http', endPort: 70 }] }] }),
      policy({ ingress: [{ from: [{ namespaceSelector: { matchLabels: { a: 'b c' } } }] }] }),
    ],
  },
];
