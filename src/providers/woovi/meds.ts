import type { FindMedOutcome, ListMedsOutcome, MedFacts, MedName } from '../../domain/med-facts.ts'
import type { NoAnswer } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { type Behind, medOf, returnsIn } from './med-mapping.ts'
import { replies } from './med-replies.ts'
import { type Dispute, dispute, disputeAnswer, recoveryDisputes, solicitations } from './med-shapes.ts'
import { pagesOf } from './pages.ts'
import { transactionAnswer } from './shapes.ts'

/**
 * Disputes ("Disputas"), and behind each the funds recovery of the Central Bank ("Recuperação de fundos (MED)"), which says
 * whose it is and what came of it, where the account has the feature MED API. A chargeback of Woovi's own is no MED.
 */
export function meds(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'listMeds' | 'findMed' | 'replyMed'> {
  const { everyPage } = pagesOf(client)
  return { listMeds, findMed, ...replies(client) }

  async function listMeds(start: string, end: string): Promise<ListMedsOutcome> {
    const range = new URLSearchParams({ start, end })
    const listed = await everyPage(`/api/v1/dispute?${range}`, {
      field: 'disputes',
      item: dispute,
      fits: isMed,
    })
    if (listed.kind === 'no_answer') return listed
    const meds: MedFacts[] = []
    for (const one of listed.items) {
      const found = one.id ? await factsOf(one) : await findMed({ id: one.endToEndId, endToEnd: null })
      if (found.kind === 'no_answer') return found
      if (found.kind === 'found') meds.push(found.med)
    }
    return { kind: 'found', meds }
  }

  async function findMed({ id }: MedName): Promise<FindMedOutcome> {
    const path = `/api/v1/dispute/${encodeURIComponent(id)}`
    const found = await client.lookUp({ method: 'GET', path }, json => {
      const one = disputeAnswer.safeParse(json).data?.dispute
      return one && (one.id === id || one.endToEndId === id) ? { dispute: one } : undefined
    })
    if (found.kind !== 'found') return found
    if (!isMed(found.dispute)) return { kind: 'not_found' }
    return factsOf({ ...found.dispute, id: found.dispute.id ?? id })
  }

  async function factsOf(one: Dispute): Promise<{ kind: 'found'; med: MedFacts } | NoAnswer> {
    const behind = await behindIt(one)
    if (behind.kind === 'no_answer') return behind
    return { kind: 'found', med: medOf(one, behind, now()) }
  }

  async function behindIt(one: Dispute): Promise<Behind | NoAnswer> {
    const path = `/api/v1/funds-recovery/${encodeURIComponent(one.endToEndId)}`
    const told = await client.lookUp({ method: 'GET', path: `${path}/disputes` }, json => {
      const disputes = recoveryDisputes.safeParse(json).data
      return (
        disputes && { recovery: disputes.find(({ endToEndId }) => endToEndId === one.endToEndId) ?? null }
      )
    })
    if (told.kind === 'no_answer' && told.code !== 'provider_denied') return told
    const recovery = told.kind === 'found' ? told.recovery : null
    const side = recovery?.sentOrReceived ?? (await sideOf(one))
    if (typeof side !== 'string') return side
    const kind = side === 'SENT' ? 'REQUESTED_MED' : 'RECEIVED_MED'
    if (one.status !== 'ACCEPTED' || !recovery) return { kind, recovery, returns: [], closed: false }
    const asked = await client.lookUp({ method: 'GET', path: `${path}/refund-solicitations` }, json => {
      const all = solicitations.safeParse(json).data
      return all && { all }
    })
    if (asked.kind === 'no_answer') return asked
    const all = asked.kind === 'found' ? asked.all : []
    return { kind, recovery, ...returnsIn(all, { kind, endToEnd: one.endToEndId }) }
  }

  /** What left the account we contest ourselves; what Woovi does not know came in. */
  async function sideOf({ endToEndId }: Dispute): Promise<'SENT' | 'RECEIVED' | NoAnswer> {
    const path = `/api/v1/transaction/${encodeURIComponent(endToEndId)}`
    const found = await client.lookUp({ method: 'GET', path }, json => {
      const pix = transactionAnswer.safeParse(json).data?.transaction
      return pix && { type: pix.type }
    })
    if (found.kind === 'no_answer') return found
    return found.kind === 'found' && found.type === 'WITHDRAW' ? 'SENT' : 'RECEIVED'
  }
}

function isMed({ type }: Dispute): boolean {
  return (type ?? 'MED') === 'MED'
}
