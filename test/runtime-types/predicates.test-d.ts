// Types of predicates: one of any object serves for each kind, alone and in combinations; one that looks at a spec for its kind only.
import {
  allOf,
  anyOf,
  createManager,
  defineKind,
  done,
  generationChanged,
  labelsChanged,
  not,
  type KubernetesObject,
  type UpdatePredicate,
} from 'operator-runtime';

interface Widget extends KubernetesObject {
  spec: { size: number };
}
interface Gadget extends KubernetesObject {
  data: Record<string, string>;
}
const Widget = defineKind<Widget, 'Namespaced'>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  subresources: [],
});

const named: UpdatePredicate = (previous, object) => previous.metadata.name === object.metadata.name;
const grew: UpdatePredicate<Widget> = (previous, object) => object.spec.size > previous.spec.size;
const combined = anyOf(named, grew);
export const ofWidgets: UpdatePredicate<Widget> = not(allOf(generationChanged, labelsChanged));

createManager()
  .controller('widget')
  .for(Widget, { predicates: [anyOf(generationChanged, labelsChanged), not(named), combined, not(combined), named] })
  .owns(Widget, { predicates: [allOf(named, grew, (previous, object) => previous.spec.size !== object.spec.size)] })
  .watches(Widget, () => [], {
    predicates: [
      anyOf(
        allOf((previous, object) => previous.spec.size > object.spec.size, labelsChanged),
        grew,
      ),
    ],
  })
  .reconcile(() => Promise.resolve(done));

// @ts-expect-error a gadget has no size
export const ofGadgets: UpdatePredicate<Gadget> = combined;
// @ts-expect-error not every object has a size
export const ofAny: UpdatePredicate = grew;
