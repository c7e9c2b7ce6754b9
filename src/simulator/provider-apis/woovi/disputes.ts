import type { SimulatedDispute } from '../../disputes.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as words from './dispute-presenters.ts'
import * as errors from './errors.ts'
import { findWooviFile } from './files.ts'
import { buildWooviListPage } from './list-page.ts'
import { evidenceBody, parseWooviBody } from './schemas.ts'

type WooviDisputeHandlers = Record<
  'list' | 'show' | 'addEvidence' | 'showRecovery' | 'disputesOf' | 'solicitationsOf',
  (call: SimulatedCall) => SimulatedResponse
>

/** Disputes, `/dispute`, found by their id or their PIX, and the funds recovery behind one, `/funds-recovery`. */
export function createWooviDisputeHandlers(world: SimulatorState): WooviDisputeHandlers {
  const { disputes: meds, now, store } = world
  const named = (
    { account, params }: SimulatedCall,
    found: (med: SimulatedDispute) => SimulatedResponse,
    absent: () => SimulatedResponse,
  ) => {
    const med = meds.find(account.id, params.id!)
    return med ? found(med) : absent()
  }

  return {
    list: call =>
      buildWooviListPage(call, {
        field: 'disputes',
        between: range => meds.listBetween(call.account.id, range),
        present: words.presentListedDispute,
      }),
    show: call =>
      named(
        call,
        med => ({ status: 200, body: { dispute: words.presentWooviDispute(med) } }),
        errors.disputeNotFound,
      ),
    /** Woovi asks for evidence, not for a yes or no; more may follow until the deadline. */
    addEvidence: ({ account, params, body }) => {
      const asked = parseWooviBody(evidenceBody, body)
      if ('refusal' in asked) return asked.refusal
      const { documents } = asked.value
      const fileIds = documents.flatMap(({ fileId }) => fileId ?? [])
      if (fileIds.some(id => !findWooviFile(store, account.id, id))) return errors.evidenceFileUnknown()
      const text = documents.map(({ description }) => description).join('\n')
      const med = meds.find(account.id, params.id!)
      const verdict = med
        ? meds.reply(med, { accept: null, text, documents }, { again: true })
        : 'no_such_med'
      switch (verdict) {
        case 'accepted': {
          const createdAt = now().toISOString()
          return { status: 200, body: { documents: documents.map(one => ({ ...one, createdAt })) } }
        }
        case 'no_such_med':
          return errors.disputeNotFound()
        case 'already_replied':
        case 'too_late':
          return errors.disputeTooLate()
        default:
          return verdict satisfies never
      }
    },
    showRecovery: call =>
      named(call, med => ({ status: 200, body: words.presentFundsRecovery(med) }), errors.recoveryNotFound),
    disputesOf: call =>
      named(
        call,
        med => ({ status: 200, body: [words.presentRecoveryDispute(med)] }),
        errors.recoveryNotFound,
      ),
    solicitationsOf: call =>
      named(
        call,
        med => ({ status: 200, body: listRefundSolicitations(world, med) }),
        errors.recoveryNotFound,
      ),
  }
}

function listRefundSolicitations({ receipts, returns }: SimulatorState, med: SimulatedDispute): object[] {
  if (med.status !== 'agreed') return []
  const given =
    med.side === 'received'
      ? receipts.listRefunds(med).filter(({ nature }) => nature === 'MED_FRAUDE')
      : returns.listReturns(med).filter(({ nature }) => nature === 'MED_FRAUDE')
  return given.length > 0
    ? given.map(one => words.presentRefundSolicitation(med, one))
    : [words.presentRefundSolicitation(med, null)]
}
