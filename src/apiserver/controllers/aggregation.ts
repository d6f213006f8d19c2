import { equal, list, object, text, type Json } from '../json.ts';
import { copyOf } from '../objects/operations.ts';
import { clusterRoles } from '../access/rbac.ts';
import { labelSelectorOf, labelsOf } from '../selectors/label-selector.ts';
import { byText, type Store } from '../storage/store.ts';
import { giveRules, ownsRules } from './managers.ts';

/** Gives roles with an aggregation rule the rules of the roles that it selects, until nothing changes any more. `time` is RFC 3339. */
export function aggregateRoles(store: Store, time: string): void {
  const collection = store.collection(clusterRoles);
  // A role may select roles that are aggregated themselves: as many rounds as there are roles end every chain.
  for (let round = collection.size; round > 0; round--) {
    let changed = false;
    for (const role of collection.list()) {
      const selectors = list(role, 'aggregationRule', 'clusterRoleSelectors');
      if (selectors.length === 0) continue;
      const rules: Json[] = [];
      for (const selector of selectors) {
        const parsed = labelSelectorOf(selector);
        const chosen = collection
          .list()
          .filter((other) => other !== role && parsed.matches(labelsOf(other)))
          .sort((left, right) => byText(text(left, 'metadata', 'name'), text(right, 'metadata', 'name')));
        for (const other of chosen)
          for (const rule of list(other, 'rules')) if (!rules.some((known) => equal(known, rule))) rules.push(rule);
      }
      // Applied without a rule, it gives up those that it gave, and leaves those of others.
      if (equal(list(role, 'rules'), rules) || (rules.length === 0 && !ownsRules(role))) continue;
      const next = copyOf(role);
      next['rules'] = rules.length === 0 ? null : rules;
      giveRules(next, rules.length === 0 ? undefined : time);
      collection.update({ namespace: '', name: text(object(role, 'metadata'), 'name') }, next);
      changed = true;
    }
    if (!changed) return;
  }
}
