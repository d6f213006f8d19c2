import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { validateLabels } from '../../objects/metadata.ts';
import { claimSpecErrors } from './claims.ts';
import { fieldReferenceErrors, resourceFieldErrors } from './references.ts';
import { backStepErrors, label, localPathErrors, nameErrors, needed, oneOf, quantityOf, subdomain } from './fields.ts';

const tooMany = 'may not specify more than 1 volume type';
const modeProblem = 'must be a number between 0 and 0777 (octal), both inclusive';
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const downwardFields = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]);
const requiredMembers: Readonly<Record<string, readonly string[]>> = {
  awsElasticBlockStore: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  azureFile: ['secretName', 'shareName'],
  flexVolume: ['driver'],
  gcePersistentDisk: ['pdName'],
  glusterfs: ['endpoints', 'path'],
  image: ['reference'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  cephfs: ['monitors'],
  cinder: ['volumeID'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  quobyte: ['volume'],
  rbd: ['monitors', 'image'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  storageos: ['volumeName'],
  vsphereVolume: ['volumePath'],
  secret: ['secretName'],
  configMap: ['name'],
};

/** The volumes of a pod by their names: those that nothing is wrong with, as only they count as there. */
export type ValidVolumes = ReadonlyMap<string, Json>;

/** @param pod the name of the pod, `''` in templates */
function checkVolumes(
  spec: JsonObject,
  path: string,
  pod: string,
): { readonly errors: FieldError[]; readonly valid: ValidVolumes } {
  const valid = new Map<string, Json>();
  const all: FieldError[] = [];
  const volumes = list(spec, 'volumes');
  const made = new Set(
    volumes.flatMap((volume) => (isObject(at(volume, 'ephemeral')) ? [`${pod}-${text(volume, 'name')}`] : [])),
  );
  volumes.forEach((volume, index) => {
    const place = `${path}.volumes[${index}]`;
    const errors = sourceErrors(volume, place, spec);
    const name = text(volume, 'name');
    if (pod !== '' && name !== '' && isObject(at(volume, 'ephemeral'))) {
      const claim = `${pod}-${name}`;
      for (const problem of subdomain(claim, false))
        errors.push(invalidValue(`${place}.name`, name, `PVC name ${JSON.stringify(claim)}: ${problem}`));
    }
    if (name === '') errors.push(required(`${place}.name`));
    else errors.push(...nameErrors(label, name, `${place}.name`));
    if (valid.has(name)) errors.push(duplicate(`${place}.name`, name));
    if (errors.length === 0) valid.set(name, volume);
    all.push(...errors);
    const claim = text(volume, 'persistentVolumeClaim', 'claimName');
    if (pod !== '' && made.has(claim)) {
      all.push(
        invalidValue(
          `${place}.persistentVolumeClaim.claimName`,
          claim,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      );
    }
  });
  return { errors: all, valid };
}

/** The volumes of a pod, or of a template, which has no name for the claims of its pods yet. */
export function volumesErrors(spec: JsonObject, path: string, pod: string): FieldError[] {
  return [...checkVolumes(spec, path, pod).errors, ...tokenOwnerErrors(spec, path)];
}

export function validVolumes(spec: JsonObject): ValidVolumes {
  return checkVolumes(spec, '', '').valid;
}

/** Tokens are those of a service account. */
function tokenOwnerErrors(spec: JsonObject, path: string): FieldError[] {
  if (text(spec, 'serviceAccountName') !== '') return [];
  return list(spec, 'volumes').flatMap((volume, index) =>
    list(volume, 'projected', 'sources').flatMap((source, position) =>
      isObject(at(source, 'serviceAccountToken'))
        ? [
            forbiddenField(
              `${path}.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
              'must not be specified when serviceAccountName is not set',
            ),
          ]
        : [],
    ),
  );
}

function sourceErrors(volume: Json, path: string, spec: JsonObject): FieldError[] {
  const present = sources.filter((name) => isObject(at(volume, name)));
  const [first] = present;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const errors = present.slice(1).map((name) => forbiddenField(`${path}.${misspelt[name] ?? name}`, tooMany));
  const source = object(volume, first);
  const place = `${path}.${first === 'gcePersistentDisk' ? 'persistentDisk' : first}`;
  for (const name of requiredMembers[first] ?? [])
    if (text(source, name) === '' && list(source, name).length === 0) errors.push(required(`${place}.${name}`));
  const own = sourceRules[first]?.(source, place, spec);
  if (own !== undefined) errors.push(...own);
  return errors;
}

/** What the real server calls them when there is another one. */
const misspelt: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/** In the order in which the real server looks for them: of several the first is the one. */
const sources = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

type SourceRule = (source: JsonObject, path: string, spec: JsonObject) => FieldError[];

const keys: SourceRule = (source, path) => [...modeErrors(source, path, 'defaultMode'), ...itemsErrors(source, path)];

const sourceRules: Readonly<Record<string, SourceRule>> = {
  emptyDir(source, path) {
    const size = quantityOf(source['sizeLimit']);
    return size !== undefined && size.sign < 0
      ? [forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
      : [];
  },
  hostPath(source, path) {
    const value = text(source, 'path');
    if (value === '') return [required(`${path}.path`)];
    return [...backStepErrors(value, `${path}.path`), ...oneOf(source, path, 'type', hostPathTypes)];
  },
  nfs(source, path) {
    const value = text(source, 'path');
    return value.startsWith('/') ? [] : [invalidValue(`${path}.path`, value, 'must be an absolute path')];
  },
  configMap: keys,
  secret: keys,
  downwardAPI: (source, path) => [
    ...modeErrors(source, path, 'defaultMode'),
    ...list(source, 'items').flatMap((item) => downwardItemErrors(item, path)),
  ],
  csi(source, path) {
    const errors: FieldError[] = [];
    const driver = text(source, 'driver');
    if (driver === '') errors.push(required(`${path}.driver`));
    if (driver.length > 63) errors.push(tooLong(`${path}.driver`, 63));
    if (driver !== '')
      errors.push(
        ...subdomain(driver.toLowerCase(), false).map((problem) => invalidValue(`${path}.driver`, driver, problem)),
      );
    const secret = source['nodePublishSecretRef'];
    if (!isObject(secret)) return errors;
    // The name of the secret is wrong at another place than it is missing.
    const name = text(secret, 'name');
    if (name === '') errors.push(required(`${path}.nodePublishSecretRef.name`));
    else errors.push(...nameErrors(subdomain, name, `${path}.name`));
    return errors;
  },
  iscsi(source, path) {
    const errors = needed(source, path, 'targetPortal', 'iqn');
    const iqn = text(source, 'iqn');
    if (iqn !== '') errors.push(...initiatorErrors(iqn, `${path}.iqn`));
    const lun = numeric(source['lun']) ?? 0;
    if (lun < 0 || lun > 255) errors.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'));
    const authenticates = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
    if (authenticates && !isObject(source['secretRef'])) errors.push(required(`${path}.secretRef`));
    const initiator = source['initiatorName'];
    if (typeof initiator === 'string') errors.push(...initiatorErrors(initiator, `${path}.initiatorname`));
    return errors;
  },
  fc: (source, path) =>
    list(source, 'targetWWNs').length > 0 === list(source, 'wwids').length > 0
      ? [required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')]
      : [],
  flocker: (source, path) =>
    text(source, 'datasetName') === '' && text(source, 'datasetUUID') === ''
      ? [required(path, 'one of datasetName and datasetUUID is required')]
      : [],
  quobyte: (source, path) =>
    /^[^:,]+:\d+(,[^:,]+:\d+)*$/.test(text(source, 'registry'))
      ? []
      : [required(`${path}.registry`, 'must be a host:port pair or multiple pairs separated by commas')],
  azureDisk(source, path) {
    const uri = text(source, 'diskURI');
    const form = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
    return text(source, 'kind') !== 'Managed' && !uri.startsWith('https://')
      ? [notSupported(`${path}.diskURI`, uri, [form])]
      : [];
  },
  gitRepo: (source, path) => [
    ...needed(source, path, 'repository'),
    ...localPathErrors(text(source, 'directory'), `${path}.directory`),
  ],
  image: (source, path) => oneOf(source, path, 'pullPolicy', ['Always', 'IfNotPresent', 'Never']),
  ephemeral(source, path) {
    const template = source['volumeClaimTemplate'];
    const place = `${path}.volumeClaimTemplate`;
    if (!isObject(template)) return [required(place)];
    const metadata = object(template, 'metadata');
    return [
      ...Object.keys(metadata)
        .filter((name) => name !== 'labels' && name !== 'annotations')
        .map((name) => forbiddenField(`${place}.metadata.${name === 'uid' ? 'uID' : name}`, 'cannot be set')),
      ...validateLabels(object(metadata, 'labels'), `${place}.metadata.labels`),
      ...claimSpecErrors(object(template, 'spec'), `${place}.spec`),
    ];
  },
  projected: projectedErrors,
};

function initiatorErrors(name: string, place: string): FieldError[] {
  if (!/^(iqn|eui|naa)/.test(name))
    return [invalidValue(place, name, 'must be valid format starting with iqn, eui, or naa')];
  const forms = [
    /^iqn\.\d{4}-\d{2}\.([a-z]+[a-z0-9-]*\.)*[a-z]+[a-z0-9-]*(:[^,;*&$|\s]+)?$/i,
    /^eui\.[a-f0-9]{16}$/i,
    /^naa\.[a-f0-9]{32}$/i,
  ];
  return forms.some((form) => form.test(name)) ? [] : [invalidValue(place, name, 'must be valid format')];
}

function projectedErrors(source: JsonObject, path: string): FieldError[] {
  const errors = modeErrors(source, path, 'defaultMode');
  const paths = new Set<string>();
  list(source, 'sources').forEach((projection, index) => {
    const place = `${path}.sources[${index}]`;
    const present = projections.filter((name) => isObject(at(projection, name)));
    for (const kind of present) errors.push(...projectionErrors(object(projection, kind), kind, `${place}.${kind}`));
    if (present.length > 1) errors.push(forbiddenField(place, 'may not specify more than 1 volume type per source'));
  });
  return errors;

  function projectionErrors(chosen: JsonObject, kind: string, inner: string): FieldError[] {
    const found: FieldError[] = [];
    const note = (value: string, owner: string): void => {
      if (value === '' && kind !== 'clusterTrustBundle') return;
      if (paths.has(value)) found.push(invalidValue(path, owner, 'conflicting duplicate paths'));
      paths.add(value);
    };
    if (kind === 'secret' || kind === 'configMap') {
      found.push(...needed(chosen, inner, 'name'), ...itemsErrors(chosen, inner));
      for (const item of list(chosen, 'items')) note(text(item, 'path'), text(chosen, 'name'));
    } else if (kind === 'downwardAPI') {
      for (const item of list(chosen, 'items')) {
        found.push(...downwardItemErrors(item, inner));
        note(text(item, 'path'), text(item, 'path'));
      }
    } else if (kind === 'serviceAccountToken') {
      found.push(...tokenErrors(chosen, inner, path));
    } else if (kind === 'clusterTrustBundle') {
      if (chosen['name'] === undefined && chosen['signerName'] === undefined)
        found.push(required(inner, 'either name or signerName must be specified'));
      found.push(...needed(chosen, inner, 'path'), ...localPathErrors(text(chosen, 'path'), `${inner}.path`));
      note(text(chosen, 'path'), text(chosen, 'path'));
    } else if (kind === 'podCertificate') {
      found.push(...needed(chosen, inner, 'signerName'));
      const type = text(chosen, 'keyType');
      if (!keyTypes.includes(type)) found.push(notSupported(`${inner}.keyType`, type, keyTypes));
      const files = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];
      const given = files.filter((name) => text(chosen, name) !== '');
      for (const name of given) {
        found.push(...localPathErrors(text(chosen, name), `${inner}.${name}`));
        note(text(chosen, name), text(chosen, name));
      }
      if (given.length === 0)
        found.push(required(inner, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
    }
    return found;
  }
}

const projections = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];
const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

/** Their paths are wrong at the volume, not at the source. */
function tokenErrors(token: JsonObject, path: string, volume: string): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = numeric(token['expirationSeconds']) ?? 3600;
  if (seconds < 600) {
    errors.push(invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > 2 ** 32)
    errors.push(
      invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'),
    );
  const value = text(token, 'path');
  errors.push(...(value === '' ? [required(`${volume}.path`)] : localPathErrors(value, `${volume}.path`)));
  return errors;
}

function modeErrors(owner: Json, path: string, name: string): FieldError[] {
  const mode = numeric(at(owner, name));
  return mode !== undefined && (mode < 0 || mode > 0o777) ? [invalidValue(`${path}.${name}`, mode, modeProblem)] : [];
}

function itemsErrors(source: JsonObject, path: string): FieldError[] {
  return list(source, 'items').flatMap((item, index) => {
    const place = `${path}.items[${index}]`;
    const value = text(item, 'path');
    return [
      ...needed(item, place, 'key', 'path'),
      ...(value === '' ? [] : localPathErrors(value, `${place}.path`)),
      ...modeErrors(item, place, 'mode'),
    ];
  });
}

/** Their errors name the source, not the item. */
function downwardItemErrors(item: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const value = text(item, 'path');
  errors.push(...(value === '' ? [required(`${path}.path`)] : localPathErrors(value, `${path}.path`)));
  const field = at(item, 'fieldRef');
  const resource = at(item, 'resourceFieldRef');
  if (isObject(field)) {
    errors.push(...fieldReferenceErrors(field, `${path}.fieldRef`, downwardFields));
    if (isObject(resource))
      errors.push(invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (isObject(resource)) errors.push(...resourceFieldErrors(resource, `${path}.resourceFieldRef`, true));
  else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  errors.push(...modeErrors(item, path, 'mode'));
  return errors;
}

const notFound = (field: string, name: string): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  message: `Not found: "${name}"`,
});

/** Where a container mounts the pod's volumes. Some errors name the list, not the mount. */
export function mountErrors(container: Json, path: string, volumes: ValidVolumes): FieldError[] {
  const errors: FieldError[] = [];
  const deviceNames = new Set(list(container, 'volumeDevices').map((device) => text(device, 'name')));
  const devices = new Set(list(container, 'volumeDevices').map((device) => text(device, 'devicePath')));
  const places = new Set<string>();
  list(container, 'volumeMounts').forEach((mount, index) => {
    const place = `${path}.volumeMounts[${index}]`;
    const whole = `${path}.volumeMounts`;
    const name = text(mount, 'name');
    const mountPath = text(mount, 'mountPath');
    if (name === '') errors.push(required(`${place}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${place}.name`, name));
    if (mountPath === '') errors.push(required(`${place}.mountPath`));
    if (places.has(mountPath)) errors.push(invalidValue(`${place}.mountPath`, mountPath, 'must be unique'));
    places.add(mountPath);
    if (deviceNames.has(name))
      errors.push(invalidValue(`${place}.name`, name, 'must not already exist in volumeDevices'));
    if (devices.has(mountPath))
      errors.push(invalidValue(`${place}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    const subPath = text(mount, 'subPath');
    const expression = text(mount, 'subPathExpr');
    if (subPath !== '') errors.push(...localPathErrors(subPath, `${whole}.subPath`));
    if (expression !== '') {
      if (subPath !== '') {
        errors.push(invalidValue(`${place}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
      }
      errors.push(...localPathErrors(expression, `${whole}.subPathExpr`));
    }
    const modes = ['Bidirectional', 'HostToContainer', 'None'];
    const propagation = text(mount, 'mountPropagation');
    errors.push(...oneOf(mount, whole, 'mountPropagation', modes));
    errors.push(...recursiveErrors(mount, `${whole}.recursiveReadOnly`));
    if (propagation === 'Bidirectional' && at(container, 'securityContext', 'privileged') !== true) {
      errors.push(
        forbiddenField(
          `${whole}.mountPropagation`,
          'Bidirectional mount propagation is available only to privileged containers',
        ),
      );
    }
  });
  return errors;
}

/** Whether what is mounted in a volume may be written. */
function recursiveErrors(mount: Json, place: string): FieldError[] {
  const value = at(mount, 'recursiveReadOnly');
  if (typeof value !== 'string' || value === 'Disabled') return [];
  if (value !== 'Enabled' && value !== 'IfPossible')
    return [notSupported(place, value, ['Disabled', 'Enabled', 'IfPossible'])];
  const errors: FieldError[] = [];
  if (at(mount, 'readOnly') !== true) errors.push(forbiddenField(place, 'may only be specified when readOnly is true'));
  const propagation = text(mount, 'mountPropagation');
  if (propagation !== '' && propagation !== 'None')
    errors.push(forbiddenField(place, 'may only be specified when mountPropagation is None or not specified'));
  return errors;
}

/** The claims that a container uses as block devices. */
export function deviceErrors(container: Json, path: string, volumes: ValidVolumes): FieldError[] {
  const errors: FieldError[] = [];
  const mountNames = new Set(list(container, 'volumeMounts').map((mount) => text(mount, 'name')));
  const mountPaths = new Set(list(container, 'volumeMounts').map((mount) => text(mount, 'mountPath')));
  const names = new Set<string>();
  const paths = new Set<string>();
  list(container, 'volumeDevices').forEach((device, index) => {
    const place = `${path}.volumeDevices[${index}]`;
    const name = text(device, 'name');
    const volume = volumes.get(name);
    if (name === '') errors.push(required(`${place}.name`));
    if (volume === undefined) errors.push(notFound(`${place}.name`, name));
    else if (!isObject(at(volume, 'persistentVolumeClaim')) && !isObject(at(volume, 'ephemeral')))
      errors.push(
        invalidValue(
          `${place}.name`,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      );
    const devicePath = text(device, 'devicePath');
    if (devicePath === '') errors.push(required(`${place}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalidValue(`${place}.devicePath`, devicePath, 'must be unique'));
    if (backStepErrors(devicePath, '').length > 0)
      errors.push(invalidValue(`${place}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (names.has(name)) errors.push(invalidValue(`${place}.name`, name, 'must be unique'));
    if (name !== '') names.add(name);
    if (mountNames.has(name))
      errors.push(invalidValue(`${place}.name`, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath)) {
      errors.push(invalidValue(`${place}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    }
  });
  return errors;
}
