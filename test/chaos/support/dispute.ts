import { randomUUID } from 'node:crypto'
import type { MedFacts } from '../../../src/domain/med-facts.ts'
import type { openBooks } from './books.ts'

type Disputed = { connectionUuid: string; endToEnd: string }

/** A payer's dispute of a PIX of R$ 10.00 that came in. */
export function disputeOf(
  books: Awaited<ReturnType<typeof openBooks>>,
  { connectionUuid, endToEnd }: Disputed,
) {
  const order = {
    ...{ uuid: randomUUID(), connectionUuid, providerMedId: randomUUID(), endToEnd },
    ...{ requestId: 'r', timeScale: 1 },
  }
  return {
    order,
    /** Its provider is asked, and says so. */
    told(facts: Partial<MedFacts> = {}) {
      const med: MedFacts = {
        ...{ id: order.providerMedId, kind: 'RECEIVED_MED', endToEnd, disputeType: 'SCAM', cents: 1_000 },
        ...{ status: 'open', openedAt: new Date().toISOString(), dueAt: null, details: '', analysis: '' },
        ...{ returns: [], closed: false, ...facts },
      }
      books.provider({ findMed: async () => ({ kind: 'found', med }) })
      return books.providers.followMed(order)
    },
    /** What it claims of the PIX, and what it has of that. */
    async has() {
      const [row] = await books.sql<{ claimed: number; held: number; retained: number }>(
        `select claimed_cents::int as claimed, held_cents::int as held, retained_cents::int as retained
         from med where uuid = ?`,
        [order.uuid],
      )
      return row
    },
  }
}
