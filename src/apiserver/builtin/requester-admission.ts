import { child, type MutableObject } from '../json.ts';
import type { AdmissionPlugin } from '../objects/admission.ts';

/** Requests for certificates name who made them, whatever they say themselves. */
export const certificateRequesters: AdmissionPlugin = {
  name: 'CertificateRequesters',
  admit({ operation, resource, subresource, object, user }) {
    if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
    if (resource.storage !== 'certificatesigningrequests.certificates.k8s.io') return;
    const spec: MutableObject = child(object, 'spec');
    for (const name of ['uid', 'groups', 'extra']) delete spec[name];
    spec['username'] = user.name;
    if (user.uid !== '') spec['uid'] = user.uid;
    if (user.groups.length > 0) spec['groups'] = [...user.groups];
    if (Object.keys(user.extra).length > 0)
      spec['extra'] = Object.fromEntries(Object.entries(user.extra).map(([name, values]) => [name, [...values]]));
  },
};
