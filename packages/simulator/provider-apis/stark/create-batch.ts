import type { SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorStore } from '../../store.ts'

type Refusal = { refusal: SimulatedResponse }

class RefusedElement extends Error {
  readonly refusal: SimulatedResponse
  constructor(refusal: SimulatedResponse) {
    super('an element of a request was refused')
    this.refusal = refusal
  }
}

/** Creates every element of a request, or none. */
export function createBatch<Element, Created extends object>(
  store: SimulatorStore,
  elements: Element[],
  create: (element: Element, index: number) => Created | Refusal,
): Created[] | Refusal {
  try {
    return store.inTransaction(() =>
      elements.map((element, index) => {
        const created = create(element, index)
        if ('refusal' in created) throw new RefusedElement(created.refusal)
        return created
      }),
    )
  } catch (error) {
    if (error instanceof RefusedElement) return { refusal: error.refusal }
    throw error
  }
}
