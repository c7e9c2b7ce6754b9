import type { Answer, Call } from '../../calls.ts'
import type { Med } from '../../meds.ts'
import type { World } from '../../world.ts'
import * as words from './dispute-words.ts'
import * as errors from './errors.ts'
import { fileOf } from './files.ts'
import { listed } from './pages.ts'
import { evidenceBody, read } from './schemas.ts'

type Disputes = Record<
  'list' | 'show' | 'addEvidence' | 'showRecovery' | 'disputesOf' | 'solicitationsOf',
  (call: Call) => Answer
>

/** Disputes, `/dispute`, found by their id or their PIX, and the funds recovery behind one, `/funds-recovery`. */
export function disputesOf(world: World): Disputes {
  const { meds, now, store } = world
  const named = ({ account, params }: Call, found: (med: Med) => Answer, absent: () => Answer) => {
    const med = meds.find(account.id, params.id!)
    return med ? found(med) : absent()
  }

  return {
    list: call =>
      listed(call, {
        field: 'disputes',
        between: range => meds.between(call.account.id, range),
        shown: words.listedDisputeOf,
      }),
    show: call =>
      named(call, med => ({ status: 200, body: { dispute: words.disputeOf(med) } }), errors.disputeNotFound),
    /** Woovi asks for evidence, not for a yes or no; more may follow until the deadline. */
    addEvidence: ({ account, params, body }) => {
      const asked = read(evidenceBody, body)
      if ('refusal' in asked) return asked.refusal
      const { documents } = asked.value
      const fileIds = documents.flatMap(({ fileId }) => fileId ?? [])
      if (fileIds.some(id => !fileOf(store, account.id, id))) return errors.evidenceFileUnknown()
      const text = documents.map(({ description }) => description).join('\n')
      const med = meds.find(account.id, params.id!)
      const verdict = med
        ? meds.reply(med, { accept: null, text, documents }, { again: true })
        : 'no_such_med'
      switch (verdict) {
        case 'taken': {
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
      named(call, med => ({ status: 200, body: words.recoveryOf(med) }), errors.recoveryNotFound),
    disputesOf: call =>
      named(call, med => ({ status: 200, body: [words.recoveryDisputeOf(med)] }), errors.recoveryNotFound),
    solicitationsOf: call =>
      named(call, med => ({ status: 200, body: solicitations(world, med) }), errors.recoveryNotFound),
  }
}

function solicitations({ receipts, returns }: World, med: Med): object[] {
  if (med.status !== 'agreed') return []
  const given =
    med.side === 'received'
      ? receipts.refundsOf(med).filter(({ nature }) => nature === 'MED_FRAUDE')
      : returns.of(med).filter(({ nature }) => nature === 'MED_FRAUDE')
  return given.length > 0
    ? given.map(one => words.solicitationOf(med, one))
    : [words.solicitationOf(med, null)]
}
