import { disputeTypeOf } from '../../domain/disputes/dispute.ts'
import {
  type DisputeReference,
  type DisputeRequest,
  type FindDisputeOutcome,
  type ProviderDispute,
  RECOVERY_STAGES,
  type RequestDisputeOutcome,
} from '../../domain/disputes/provider-dispute.ts'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import type { NoAnswerResult, NotFoundResult, RejectedResult } from '../../domain/providers/provider.ts'
import { isDuplicate } from '../adapter/outcomes.ts'
import { hasReturnPeriodEnded } from '../adapter/statement-period.ts'
import { encodePath } from '../http/client.ts'
import type { DisputeCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { findDisputeReturns, pickDisputeSolicitations } from './dispute-mapping.ts'
import {
  type WooviRecovery,
  wooviRecoveryRequestSchema,
  wooviRecoverySchema,
  wooviRefundSolicitationSchema,
} from './dispute-schemas.ts'
import { createWooviRecoveryLists } from './recovery-lists.ts'

type RecoveryCalls = Required<Pick<DisputeCalls, 'requestDispute' | 'cancelDispute'>> & {
  /** Finds what the account has requested about a PIX that it sent. */
  findRequested(dispute: DisputeReference): Promise<FindDisputeOutcome>
}

/**
 * Creates the calls about funds recoveries that the account requests ("Recuperação de fundos (MED)"). A PIX has one for ever, and its
 * end-to-end id finds it ("Como consultar uma recuperação de fundos (MED) usando a API?").
 */
export function createWooviRecoveries(client: WooviClient, now: () => number): RecoveryCalls {
  const { findDecision, readRecoveryList } = createWooviRecoveryLists(client)
  return { findRequested, requestDispute, cancelDispute }

  async function findRequested({ endToEnd, id }: DisputeReference): Promise<FindDisputeOutcome> {
    const found = await lookUp(endToEnd ?? id)
    return found.kind === 'found' ? resolveRecovery(found.recovery) : found
  }

  /** Looks up a recovery by its PIX; one that another bank has opened about it is not found. */
  async function lookUp(
    endToEnd: string,
  ): Promise<{ kind: 'found'; recovery: WooviRecovery } | NotFoundResult | NoAnswerResult> {
    const path = encodePath`/api/v1/funds-recovery/${endToEnd}`
    const call = { call: 'findRecovery', reference: endToEnd, path } as const
    const outcome = await client.lookUp(call, wooviRecoverySchema, recovery =>
      recovery.rootTransactionId === endToEnd ? { recovery } : undefined,
    )
    const isOther = outcome.kind === 'found' && (outcome.recovery.direction ?? 'SENT') !== 'SENT'
    return isOther ? { kind: 'not_found' } : outcome
  }

  /**
   * Requests a recovery by one request. Of its refusals only the status is published, and the sentence about a PIX that has one already:
   * one after which a look-up finds none is a refusal.
   */
  async function requestDispute(request: DisputeRequest): Promise<RequestDisputeOutcome> {
    const { endToEnd, situation, details } = request
    const json = wooviRecoveryRequestSchema.parse({
      transactionEndToEndId: endToEnd,
      situationType: situation,
      details,
    })
    const path = '/api/v1/funds-recovery'
    const call = { call: 'requestDispute', reference: endToEnd, method: 'POST', path, json } as const
    const outcome = await client.send({ ...call, hasOwnConnection: true }, wooviRecoverySchema, recovery =>
      recovery.rootTransactionId === endToEnd
        ? { dispute: mapRecovery(recovery, UNDECIDED, now()) }
        : undefined,
    )
    const isRefused = outcome.kind === 'unknown' && UNLISTED_REFUSALS.includes(outcome.code)
    if (!isDuplicate(outcome) && !isRefused) return outcome
    const found = await findRequested({ id: endToEnd, endToEnd })
    if (found.kind === 'found') return { kind: 'accepted', dispute: found.dispute }
    return isRefused && found.kind === 'not_found' ? requestRefused : outcome
  }

  async function cancelDispute(dispute: DisputeReference): Promise<FindDisputeOutcome> {
    const found = await lookUp(dispute.endToEnd ?? dispute.id)
    if (found.kind !== 'found') return found
    const { dictId, status } = found.recovery
    if (ENDED_STAGES.includes(status)) return resolveRecovery(found.recovery)
    const path = encodePath`/api/v1/funds-recovery/${dictId}/cancel`
    const call = { call: 'cancelDispute', reference: dictId, method: 'POST', path } as const
    const answer = await client.lookUpExisting(call, wooviRecoverySchema, recovery =>
      recovery.dictId === dictId ? { recovery } : undefined,
    )
    if (answer.kind === 'found') return resolveRecovery(answer.recovery)
    return CANCEL_REFUSALS.includes(answer.code) ? findRequested(dispute) : answer
  }

  /** Adds the decision and the returns of a recovery to it, once it is analysed. */
  async function resolveRecovery(recovery: WooviRecovery): Promise<FindDisputeOutcome> {
    const { rootTransactionId: endToEnd, status } = recovery
    if (!ANALYSED_STAGES.includes(status))
      return { kind: 'found', dispute: mapRecovery(recovery, UNDECIDED, now()) }
    const decision = await findDecision(endToEnd)
    if (decision.kind === 'no_answer') return decision
    const leg = { kind: 'REQUESTED_MED', endToEnd } as const
    const solicitations = await readRecoveryList(
      endToEnd,
      'refund-solicitations',
      wooviRefundSolicitationSchema,
      (items, notes) => pickDisputeSolicitations(items, leg, null, notes),
    )
    if (solicitations.kind === 'no_answer') return solicitations
    const { returns } = findDisputeReturns(solicitations.items)
    const isRead = !decision.isUnread && !solicitations.isUnread && solicitations.isComplete
    const facts = { decision: decision.kind, returns, isRead }
    return { kind: 'found', dispute: mapRecovery(recovery, facts, now()) }
  }
}

type RecoveryFacts = Pick<ProviderDispute, 'returns'> & {
  decision: 'agreed' | 'disagreed' | 'undecided'
  /** Woovi has shown the decision and all returns, or has none. */
  isRead: boolean
}
const UNDECIDED: RecoveryFacts = { decision: 'undecided', returns: [], isRead: true }

/** Maps a recovery. No return follows a completed one, nor one of a PIX of more than 91 days ago. */
function mapRecovery(recovery: WooviRecovery, facts: RecoveryFacts, nowMs: number): ProviderDispute {
  const { dictId, rootTransactionId: endToEnd, situationType, status, creationTime, createdAt } = recovery
  const sentAtMs = timeOfRailId(endToEnd)
  const isPeriodOver = sentAtMs !== null && hasReturnPeriodEnded(new Date(sentAtMs).toISOString(), nowMs)
  const isCompleted = status === 'COMPLETED' && facts.isRead
  return {
    id: dictId,
    kind: 'REQUESTED_MED',
    endToEnd,
    disputeType: disputeTypeOf(situationType ?? ''),
    // A recovery is of the whole PIX.
    cents: null,
    status: findStatus(recovery, facts, isPeriodOver),
    openedAt: creationTime ?? createdAt ?? new Date(nowMs).toISOString(),
    dueAt: null,
    details: situationType ?? '',
    analysis: '',
    returns: facts.returns,
    isClosed: isCompleted || isPeriodOver,
    recovery: {
      stage: status,
      events: (recovery.events ?? []).flatMap(({ event, timestamp: at }) => {
        const stage = RECOVERY_STAGES.find(one => one === event)
        return stage ? [{ stage, at }] : []
      }),
    },
  }
}

/**
 * Finds our status of a recovery. Its first report decides it; the others follow what that pays. A completed one without a decision has
 * found no money. What a stage says is not known before the lists of that stage are read.
 */
function findStatus(
  { status }: WooviRecovery,
  { decision, returns, isRead }: RecoveryFacts,
  isPeriodOver: boolean,
): ProviderDispute['status'] {
  if (status === 'CANCELLED') return 'withdrawn'
  if (status === 'CREATED') return isPeriodOver ? 'analysing' : 'open'
  if (!ANALYSED_STAGES.includes(status)) return 'analysing'
  if (decision !== 'undecided') return decision
  return returns.length > 0 || status === 'REFUNDING' || (status === 'COMPLETED' && isRead)
    ? 'agreed'
    : 'analysing'
}

/** From these stages on there is a decision ("Ciclo de vida"); after the last two nothing changes. */
const ANALYSED_STAGES: readonly WooviRecovery['status'][] = ['ANALYSED', 'REFUNDING', 'COMPLETED']
const ENDED_STAGES: readonly WooviRecovery['status'][] = ['COMPLETED', 'CANCELLED']

/** Statuses of refusals whose sentences are not published ("Open a funds recovery (MED)", OpenAPI document). */
const UNLISTED_REFUSALS = ['http_400', 'http_422']
/** A recovery that has ended, or a refusal of the Central Bank, whose sentence is not published ("Cancel a funds recovery (MED)"). */
const CANCEL_REFUSALS = ['dispute_ended', 'http_422']

const requestRefused: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  code: 'dispute_refused',
  message: 'The provider or the Central Bank refuses the request',
}
