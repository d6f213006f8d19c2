/** The slot of a key, the same in every process: by a hash of namespace and name alone, whatever the kind. */
export function slotOf(key: { readonly namespace?: string; readonly name: string }, slots: number): number {
  return hash(`${key.namespace ?? ''}/${key.name}`) % slots;
}

/**
 * Which of the members should hold a slot, by rendezvous hashing: the one whose hash with the slot is the greatest. When a member goes,
 * only its slots change; when one comes, only those that it gets. Undefined where there is no member.
 */
export function ownerOf(slot: number, members: Iterable<string>): string | undefined {
  let owner: string | undefined;
  let greatest = -1;
  for (const member of members) {
    const weight = hash(`${slot} ${member}`);
    if (weight > greatest || (weight === greatest && owner !== undefined && member > owner)) {
      owner = member;
      greatest = weight;
    }
  }
  return owner;
}

/** 32 bits: FNV-1a over the UTF-16 units, its bits mixed as MurmurHash3 does at the end. */
export function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2_b2_ae_35);
  return (value ^ (value >>> 16)) >>> 0;
}
