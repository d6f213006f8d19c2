import { duplicate, forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../field-error.ts';
import { at, isObject, list, numeric, object, text, type Json, type JsonObject } from '../../json.ts';
import { claimSpecErrors } from './claims.ts';
import {
  backStepErrors,
  label,
  localPathErrors,
  nameErrors,
  needed,
  neededName,
  oneOf,
  quantityOf,
  subdomain,
} from './fields.ts';

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
const downwardFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
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
  secret: ['secretName'],
  configMap: ['name'],
};

/** The volumes of a pod. */
export function volumesErrors(spec: JsonObject, path: string): FieldError[] {
  const names = new Set<string>();
  return list(spec, 'volumes').flatMap((volume, index) => {
    const place = `${path}.volumes[${index}]`;
    const errors = sourceErrors(volume, place, spec);
    const name = text(volume, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else {
      errors.push(...nameErrors(label, name, `${place}.name`));
      if (names.has(name)) errors.push(duplicate(`${place}.name`, name));
      names.add(name);
    }
    return errors;
  });
}

function sourceErrors(volume: Json, path: string, spec: JsonObject): FieldError[] {
  const present = sources.filter((name) => isObject(at(volume, name)));
  const [first] = present;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const errors = present.slice(1).map((name) => forbiddenField(`${path}.${name}`, tooMany));
  const source = object(volume, first);
  const place = `${path}.${first}`;
  errors.push(...needed(source, place, ...(requiredMembers[first] ?? [])));
  const own = sourceRules[first]?.(source, place, spec);
  if (own !== undefined) errors.push(...own);
  return errors;
}

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
    return value === '' || value.startsWith('/')
      ? []
      : [invalidValue(`${path}.path`, value, 'must be an absolute path')];
  },
  configMap: keys,
  secret: keys,
  downwardAPI: (source, path) => [
    ...modeErrors(source, path, 'defaultMode'),
    ...list(source, 'items').flatMap((item) => downwardItemErrors(item, path)),
  ],
  csi: (source, path) => neededName(driverName, source, path, 'driver'),
  ephemeral(source, path) {
    const template = source['volumeClaimTemplate'];
    const place = `${path}.volumeClaimTemplate`;
    return isObject(template) ? claimSpecErrors(object(template, 'spec'), `${place}.spec`) : [required(place)];
  },
  projected: projectedErrors,
};

const driverName = (name: string): readonly string[] => {
  const problems = name.length > 63 ? ['must be no more than 63 characters'] : [];
  return [...problems, ...subdomain(name.toLowerCase(), false)];
};

function projectedErrors(source: JsonObject, path: string, spec: JsonObject): FieldError[] {
  const errors = modeErrors(source, path, 'defaultMode');
  const paths = new Set<string>();
  const note = (value: string, owner: string): void => {
    if (paths.has(value)) errors.push(invalidValue(path, owner, 'conflicting duplicate paths'));
    paths.add(value);
  };
  list(source, 'sources').forEach((projection, index) => {
    const place = `${path}.sources[${index}]`;
    const present = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle'].filter((name) =>
      isObject(at(projection, name)),
    );
    errors.push(...present.slice(1).map((name) => forbiddenField(`${place}.${name}`, tooMany)));
    const [kind] = present;
    if (kind === undefined) return;
    const chosen = object(projection, kind);
    const inner = `${place}.${kind}`;
    if (kind === 'secret' || kind === 'configMap') {
      errors.push(...needed(chosen, inner, 'name'), ...itemsErrors(chosen, inner));
      for (const item of list(chosen, 'items')) note(text(item, 'path'), text(chosen, 'name'));
    } else if (kind === 'downwardAPI') {
      for (const item of list(chosen, 'items')) {
        errors.push(...downwardItemErrors(item, inner));
        note(text(item, 'path'), text(item, 'path'));
      }
    } else if (kind === 'serviceAccountToken') {
      errors.push(...tokenErrors(chosen, inner, spec));
      note(text(chosen, 'path'), text(chosen, 'path'));
    }
  });
  return errors;
}

function tokenErrors(token: JsonObject, path: string, spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (text(spec, 'serviceAccountName') === '')
    errors.push(forbiddenField(path, 'must not be specified when serviceAccountName is not set'));
  const seconds = numeric(token['expirationSeconds']) ?? 3600;
  if (seconds < 600) {
    errors.push(invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (seconds > 2 ** 32)
    errors.push(
      invalidValue(`${path}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'),
    );
  const value = text(token, 'path');
  errors.push(...(value === '' ? [required(`${path}.path`)] : localPathErrors(value, `${path}.path`)));
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
    const fieldPath = text(field, 'fieldPath');
    if (fieldPath === '') errors.push(required(`${path}.fieldRef.fieldPath`));
    else if (!downwardFields.includes(fieldPath) && !/^metadata\.(labels|annotations)\['.*'\]$/.test(fieldPath))
      errors.push(notSupported(`${path}.fieldRef.fieldPath`, fieldPath, downwardFields));
    if (isObject(resource))
      errors.push(invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (isObject(resource)) errors.push(...needed(resource, `${path}.resourceFieldRef`, 'containerName'));
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
export function mountErrors(container: Json, path: string, spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set(list(spec, 'volumes').map((volume) => text(volume, 'name')));
  const claims = new Set(
    list(spec, 'volumes').flatMap((volume) =>
      isObject(at(volume, 'persistentVolumeClaim')) ? [text(volume, 'name')] : [],
    ),
  );
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
    if (devices.has(mountPath) && claims.has(name))
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
    if (propagation !== '' && !modes.includes(propagation))
      errors.push(notSupported(`${whole}.mountPropagation`, propagation, modes));
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

/** The claims that a container uses as block devices. */
export function deviceErrors(container: Json, path: string, spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Map(list(spec, 'volumes').map((volume) => [text(volume, 'name'), volume]));
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
    else errors.push(...backStepErrors(devicePath, `${place}.devicePath`));
  });
  return errors;
}
