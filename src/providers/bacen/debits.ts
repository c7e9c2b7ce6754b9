import type {
  FoundCharge,
  IssuedCharge,
  NoAnswerResult,
  NotFoundResult,
  ReviseChargeOutcome,
} from '../../domain/providers/provider.ts'
import type { ChargeTry } from '../../domain/recurrences/charge-try.ts'
import { type AnswerNotes, parsePage } from '../adapter/answer-parsing.ts'
import { rejectForThisProvider, toUnprovenRefusal } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import { type ChargeKindCalls, createChargeKindCalls } from './charge-calls.ts'
import type { ChargeKindProfile } from './charge-kind.ts'
import type { BacenRecurrenceCall, BacenRecurrenceClient } from './client.ts'
import { chargeNotActive } from './due-charges.ts'
import { MAX_BACEN_MESSAGE_LENGTH } from './immediate-charges.ts'
import { mapBacenParty } from './mapping.ts'
import {
  BACEN_CANCELLATION_REQUEST,
  type BacenCobr,
  type BacenDebitReceiver,
  type BacenEnding,
  type BacenTry,
  bacenCobrRequestSchema,
  bacenCobrSchema,
  bacenTrySchema,
} from './recurrence-schemas.ts'

/** What debits need besides the client. `receiver`: the account that they pay to, null where the credentials do not name it. */
export type BacenDebitOptions = { now: () => number; receiver: BacenDebitReceiver | null }

export type BacenDebitCalls = ChargeKindCalls & {
  /** Asks for a further try of a debit on a day. May be repeated: a day that was asked for is not asked for again. */
  retryDebit(reference: string, on: string): Promise<ReviseChargeOutcome>
}

/** Creates the calls about the debits of recurrences (`cobr`). */
export function createBacenDebits(
  client: BacenRecurrenceClient,
  { now, receiver }: BacenDebitOptions,
): BacenDebitCalls {
  const calls = createChargeKindCalls(client, now, createDebitKind(receiver), async ({ charge }) => ({
    kind: 'accepted',
    charge,
  }))
  return {
    ...calls,

    /**
     * The bank refuses the repeat of an order too, and allows one debit in a cycle. A look-up right after the refusal may lag behind, so
     * its "not found" proves nothing: the refusal counts once the absence of the debit is proved. A debit is carried out without a payer.
     */
    async issueCharge(order) {
      const outcome = await calls.issueCharge(order)
      return outcome.kind === 'rejected' && outcome.code === 'charge_refused'
        ? toUnprovenRefusal(outcome)
        : outcome
    },

    async retryDebit(reference, on) {
      const current = await findRetry(reference, on)
      if (current.kind !== 'found') return current
      if (current.isAskedFor) return { kind: 'revised', charge: current.charge }
      if (!current.isOpen) return chargeNotActive
      const path = buildPath(reference) + encodePath`/retentativa/${on}`
      const call = { call: 'retryDebit', method: 'POST', reference, path } as const
      const outcome = await client.lookUp(call, bacenCobrSchema, (shown, notes) =>
        shown.txid === reference && hasRetry(shown, on, notes)
          ? { charge: mapDebitCharge(shown) }
          : undefined,
      )
      if (outcome.kind === 'found') return { kind: 'revised', charge: outcome.charge }
      return outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
        ? resolveRetryRefusal(reference, on, outcome)
        : outcome
    },
  }

  /** Looks up a debit whose retry the bank refused: `revised` if it was asked for already. */
  async function resolveRetryRefusal(
    reference: string,
    on: string,
    { code, message }: NoAnswerResult,
  ): Promise<ReviseChargeOutcome> {
    const current = await findRetry(reference, on)
    if (current.kind !== 'found') return current
    return current.isAskedFor
      ? { kind: 'revised', charge: current.charge }
      : { kind: 'refused', code, message }
  }

  function findRetry(
    reference: string,
    on: string,
  ): Promise<
    | { kind: 'found'; charge: IssuedCharge; isAskedFor: boolean; isOpen: boolean }
    | NotFoundResult
    | NoAnswerResult
  > {
    const call = { call: 'findDebit', reference, path: buildPath(reference) } as const
    return client.lookUp(call, bacenCobrSchema, (shown, notes) =>
      shown.txid === reference
        ? {
            charge: mapDebitCharge(shown),
            isAskedFor: hasRetry(shown, on, notes),
            isOpen: STATUSES[shown.status] === 'open',
          }
        : undefined,
    )
  }

  function buildPath(reference: string): string {
    return client.basePath + encodePath`/cobr/${reference}`
  }
}

function createDebitKind(
  receiver: BacenDebitReceiver | null,
): ChargeKindProfile<BacenCobr, BacenRecurrenceCall> {
  return {
    path: 'cobr',
    isDue: false,
    needsKey: false,
    calls: { issue: 'issueDebit', find: 'findDebit', cancel: 'cancelDebit' },
    schema: bacenCobrSchema,
    cancelRequest: BACEN_CANCELLATION_REQUEST,
    buildRequest({ debit, totalCents, message }) {
      if (!debit) throw new Error('a debit has no recurrence')
      if (!receiver) return receiverAccountMissing
      const json = bacenCobrRequestSchema.parse({
        idRec: debit.railId,
        infoAdicional: message?.slice(0, MAX_BACEN_MESSAGE_LENGTH),
        calendario: { dataDeVencimento: debit.dueOn },
        valor: { original: totalCents },
        ajusteDiaUtil: true,
        recebedor: receiver,
      })
      return { kind: 'request', json }
    },
    isOrdered: ({ debit, totalCents }, { idRec, valor, calendario }) =>
      debit !== undefined &&
      idRec === debit.railId &&
      valor.original === totalCents &&
      calendario.dataDeVencimento === debit.dueOn,
    // Whatever became of it: a debit needs nothing of ours any more, and the look-up that follows reports its end.
    isIssued: () => true,
    mapCharge: mapDebitCharge,
    computeExpiry: () => null,
    mapStatus: ({ status }) => STATUSES[status],
    mapDebit(shown, notes) {
      const tries = mapTries(shown, notes)
      const endCode = getEndingCode(shown.encerramento)
      return { ...(tries && { tries }), ...(endCode !== undefined && { endCode }) }
    },
  }
}

const STATUSES = {
  CRIADA: 'open',
  ATIVA: 'open',
  CONCLUIDA: 'completed',
  EXPIRADA: 'expired',
  REJEITADA: 'failed',
  CANCELADA: 'removed',
} as const satisfies Record<BacenCobr['status'], FoundCharge['status']>

const TRY_KIND_BY_NAME = {
  AGND: 'FIRST',
  NTAG: 'RETRY',
  RIFL: 'SAME_DAY',
} as const satisfies Record<BacenTry['tipo'], ChargeTry['kind']>

const TRY_STATUS_BY_NAME = {
  SOLICITADA: 'REQUESTED',
  AGENDADA: 'SCHEDULED',
  PAGA: 'PAID',
  CANCELADA: 'CANCELLED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
} as const satisfies Record<BacenTry['status'], ChargeTry['status']>

/** Gets the code of a rejection or cancellation; undefined where none is shown. */
export function getEndingCode(ending: BacenEnding): string | undefined {
  return (ending?.rejeicao?.codigo ?? ending?.cancelamento?.codigo) || undefined
}

/** Maps a debit, which has no code and no key, and ends by its tries. */
function mapDebitCharge({ txid, valor, recebedor }: BacenCobr): IssuedCharge {
  return {
    totalCents: valor.original,
    txid,
    payload: '',
    expiresAt: null,
    pixKey: '',
    receiver: mapBacenParty(recebedor ?? {}),
  }
}

/** Maps the tries of a debit, by their days; undefined where one is unreadable, because it may be one that is pending. */
function mapTries({ tentativas }: BacenCobr, notes: AnswerNotes): ChargeTry[] | undefined {
  const { items, unreadableItems } = parsePage(bacenTrySchema, tentativas, notes)
  if (unreadableItems.length > 0) return undefined
  return items
    .map(({ dataLiquidacao, tipo, status, endToEndId, rejeicao }) => ({
      on: dataLiquidacao,
      kind: TRY_KIND_BY_NAME[tipo],
      status: TRY_STATUS_BY_NAME[status],
      code: rejeicao?.codigo || null,
      endToEnd: endToEndId || null,
    }))
    .sort((one, other) => one.on.localeCompare(other.on))
}

/** Tells whether a retry on a day was asked for, whatever became of it: a day is not tried twice. */
function hasRetry(shown: BacenCobr, day: string, notes: AnswerNotes): boolean {
  return mapTries(shown, notes)?.some(({ kind, on }) => kind === 'RETRY' && on === day) ?? false
}

export const receiverAccountMissing = rejectForThisProvider(
  'receiver_account_missing',
  'The credentials lack the number of the account that debits are paid to',
)
