// A custom resource as the API server sends it: keys sorted, managed fields as of an apply and of a controller's writes of the status. The
// kind is the Ec2Instance of fixtures/compute with what a user of it writes; larger objects have more disks and tags, as in life.

const time = '2026-01-01T00:00:00Z';
/** Of a disk and three tags, their managed fields included, and of an object with one of each. */
const partBytes = 405;
const fewestBytes = 2096;

type Fields = Record<string, unknown>;

/** The object with sorted keys at all levels, as JSON that went through Go's maps has them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

/** What the server notes of who has set which field. */
function managed(names: readonly string[], nested: Fields = {}): Fields {
  return { ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])), ...nested };
}

const deviceName = (disk: number): string => `/dev/sd${String.fromCharCode(98 + (disk % 25))}${disk < 25 ? '' : disk}`;

/** A text of about `size` bytes, but not less than a small object has. */
export function instance(size: number, index: number, resourceVersion: number, generation = 10): string {
  const more = Math.max(0, Math.round((size - fewestBytes) / partBytes));
  const disks = Array.from({ length: 1 + more }, (_, disk) => deviceName(disk));
  const tags = Object.fromEntries(
    disks.flatMap((_, part) => [
      [`team-${part}`, `the-team-of-department-${(index + part) % 20}-in-building-${part % 7}`],
      [`cost-center-${part}`, `example.com/finance/centers/${index % 7}/${part}`],
      [`backup-${part}`, `daily at ${index % 24}:00, kept for ${30 + part} days in eu-central-1`],
    ]),
  );
  const diskFields = Object.fromEntries(
    disks.map((name) => [
      `k:{"deviceName":"${name}"}`,
      { '.': {}, ...managed(['deviceName', 'encrypted', 'sizeGiB', 'type']) },
    ]),
  );
  const address = `10.1.${(index >> 8) % 250}.${index % 250}`;
  return JSON.stringify(
    sorted({
      apiVersion: 'compute.cloud.com/v1',
      kind: 'Ec2Instance',
      metadata: {
        name: `instance-${index}`,
        namespace: `namespace-${index % 10}`,
        uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        resourceVersion: String(resourceVersion),
        generation,
        creationTimestamp: time,
        finalizers: ['compute.cloud.com/instance'],
        labels: { 'app.kubernetes.io/name': `app-${index % 50}`, 'app.kubernetes.io/managed-by': 'kustomize' },
        annotations: { 'compute.cloud.com/owner': `owner-${index % 30}@example.com` },
        managedFields: [
          {
            manager: 'kubectl',
            operation: 'Apply',
            apiVersion: 'compute.cloud.com/v1',
            time,
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:metadata': {
                'f:annotations': managed(['compute.cloud.com/owner']),
                'f:labels': managed(['app.kubernetes.io/name', 'app.kubernetes.io/managed-by']),
              },
              'f:spec': managed(['amiID', 'instanceType', 'region', 'securityGroupIDs', 'subnetID'], {
                'f:blockDevices': diskFields,
                'f:credentialsRef': managed(['name']),
                'f:tags': managed(Object.keys(tags)),
              }),
            },
          },
          {
            manager: 'operator',
            operation: 'Update',
            apiVersion: 'compute.cloud.com/v1',
            time,
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:status': managed([
                'instanceID',
                'launchTime',
                'privateDNS',
                'privateIP',
                'publicDNS',
                'publicIP',
                'state',
              ]),
            },
            subresource: 'status',
          },
        ],
      },
      spec: {
        region: 'eu-central-1',
        amiID: 'ami-0123456789abcdef0',
        instanceType: 't3.micro',
        subnetID: `subnet-${index % 12}`,
        securityGroupIDs: [`sg-${index % 9}`, 'sg-common'],
        credentialsRef: { name: `credentials-${index % 10}` },
        blockDevices: disks.map((name, disk) => ({
          deviceName: name,
          sizeGiB: 8 + ((index + disk) % 64),
          type: 'gp3',
          encrypted: true,
        })),
        tags,
      },
      status: {
        instanceID: `i-${String(index).padStart(17, '0')}`,
        state: 'running',
        publicDNS: `ec2-${address.replaceAll('.', '-')}.eu-central-1.compute.example.com`,
        privateDNS: `ip-${address.replaceAll('.', '-')}.eu-central-1.compute.internal`,
        publicIP: address,
        privateIP: address,
        launchTime: time,
      },
    }),
  );
}
