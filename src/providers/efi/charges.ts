import type {
  CancelOutcome,
  FindChargeOutcome,
  IssuedCharge,
  IssueOrder,
  IssueOutcome,
  Rejected,
} from '../../domain/provider.ts'
import { cannotHere, notListedYet } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import { lengthOf, readItems, readShape } from '../reading.ts'
import type { EfiCall } from './answers.ts'
import type { EfiClient } from './client.ts'
import { chargeOf, paymentOf, statusOf } from './mapping.ts'
import { type Cob, cob as cobShape, newCob, received, removal } from './shapes.ts'

/** Charges as `cob`: the txid is our reference, so the same order sent twice is one charge. */
export function charges(
  client: EfiClient,
  now: () => number,
): Pick<Provider, 'issueCharge' | 'findCharge' | 'cancelCharge'> {
  return {
    async issueCharge(order) {
      const inVain = cannotIssue(order)
      if (inVain) return inVain
      const request = {
        ...callOf('issueCharge', order.reference),
        method: 'PUT',
        json: cobOf(order),
      } as const
      const outcome = await client.send(request, (json, notes) =>
        ordered(order, readShape(cobShape, json, notes)),
      )
      return mayBeThereAlready(outcome) ? takeOurs(order, outcome) : outcome
    },
    findCharge,
    cancelCharge,
  }

  async function findCharge(reference: string): Promise<FindChargeOutcome> {
    const request = { ...callOf('findCharge', reference), method: 'GET' } as const
    const outcome = await client.lookUp(request, (json, notes) => {
      const cob = readShape(cobShape, json, notes)
      if (!cob || cob.txid !== reference) return undefined
      const status = statusOf(cob, now())
      const paid = readItems(received, cob.pix, notes)
      // Of a charge that is not completed, a payment that cannot be read may be the one that counts.
      if (status !== 'completed' && paid.length < lengthOf(cob.pix)) return undefined
      return { status, charge: chargeOf(cob), payments: paid.map(pix => paymentOf(pix, cob.chave)) }
    })
    const isPaidByNothing =
      outcome.kind === 'found' && outcome.status === 'completed' && outcome.payments.length === 0
    return isPaidByNothing ? notListedYet('Efí') : outcome
  }

  async function cancelCharge(reference: string): Promise<CancelOutcome> {
    const request = { ...callOf('cancelCharge', reference), method: 'PATCH', json: removal } as const
    const outcome = await client.lookUp(request, (json, notes) =>
      isRemoved(readShape(cobShape, json, notes)) ? {} : undefined,
    )
    if (outcome.kind === 'found') return { kind: 'cancelled' }
    return outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      ? alreadyOver(reference, outcome)
      : outcome
  }

  function isRemoved(cob: Cob | undefined): boolean {
    return cob !== undefined && statusOf(cob, now()) === 'removed'
  }

  /** A refused removal: the charge is over, and what it became decides. */
  async function alreadyOver(reference: string, refusal: Refused): Promise<CancelOutcome> {
    const outcome = await findCharge(reference)
    if (outcome.kind === 'no_answer') return { ...outcome, inVain: true }
    if (outcome.kind === 'not_found') return outcome
    return outcome.status === 'removed' ? { kind: 'cancelled' } : { ...refusal, kind: 'refused' }
  }

  /** The id is taken: by this very order, whose answer got lost, or by something else, which is a no. */
  async function takeOurs(order: IssueOrder, refusal: IssueOutcome): Promise<IssueOutcome> {
    const request = { ...callOf('findCharge', order.reference), method: 'GET' } as const
    const outcome = await client.lookUp(request, (json, notes) => {
      const cob = readShape(cobShape, json, notes)
      return cob && { charge: ordered(order, cob)?.charge }
    })
    if (outcome.kind === 'not_found') return refusal
    if (outcome.kind === 'no_answer') return { ...outcome, kind: 'unknown' }
    return outcome.charge ? { kind: 'accepted', charge: outcome.charge } : idTaken
  }

  /** A charge that is what was ordered and can be paid; anything else is no acceptance. */
  function ordered(order: IssueOrder, cob: Cob | undefined): { charge: IssuedCharge } | undefined {
    const fits =
      cob?.txid === order.reference &&
      cob.valor.original === order.totalCents &&
      statusOf(cob, now()) === 'open'
    return fits ? { charge: chargeOf(cob) } : undefined
  }
}

type Refused = { code: string; message: string }

function callOf<Name extends EfiCall>(call: Name, reference: string) {
  return { call, reference, path: `/v2/cob/${encodeURIComponent(reference)}` }
}

function cobOf(order: IssueOrder) {
  return newCob.parse({
    calendario: { expiracao: order.expiresInSeconds },
    valor: { original: order.totalCents },
    chave: order.collectionKey,
    solicitacaoPagador: order.message?.slice(0, 140),
  })
}

function cannotIssue(order: IssueOrder): Rejected | undefined {
  if (order.totalCents === 0)
    return cannotHere('open_amount_unsupported', 'The provider issues no charge without an amount')
  if (order.collectionKey === null)
    return cannotHere('collection_key_missing', 'The provider needs the key that collects the charge')
  return undefined
}

/** Efí says 409; the Central Bank's CobOperacaoInvalida covers a taken txid among other things, so it is looked up too. */
function mayBeThereAlready(outcome: IssueOutcome): boolean {
  return (
    (outcome.kind === 'unknown' && outcome.code === 'duplicate_id') ||
    (outcome.kind === 'rejected' && outcome.code === 'charge_refused')
  )
}

const idTaken = cannotHere('reference_taken', 'The provider has another charge under this reference')
