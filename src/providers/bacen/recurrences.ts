import type { NoAnswerResult, NotAcceptedResult, RejectedResult } from '../../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  ConsentRequest,
  FindRecurrenceOutcome,
  ProviderRecurrence,
  ProviderRecurrenceRequest,
  RequestConsentOutcome,
  SentRecurrence,
} from '../../domain/providers/provider-recurrence.ts'
import type { Frequency, Journey } from '../../domain/recurrences/recurrence.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { payerBranchMissing, rejectForThisProvider, toUnprovenRefusal } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { RecurrenceCalls } from '../port.ts'
import { SCOPE_DENIED } from './access-token.ts'
import type { BacenRecurrenceClient } from './client.ts'
import { type BacenDebitOptions, getEndingCode, receiverAccountMissing } from './debits.ts'
import { debtorUnsupported } from './due-charges.ts'
import { hasNumericDocument } from './immediate-charges.ts'
import {
  BACEN_CANCELLATION_REQUEST,
  type BacenRec,
  type BacenRecFrequency,
  bacenConsentOrderSchema,
  bacenConsentRequestSchema,
  bacenContractSchema,
  bacenRecLocationSchema,
  bacenRecRequestSchema,
  bacenRecSchema,
} from './recurrence-schemas.ts'

/** What recurrences need besides the client. `needsPayerBranch`: a request for consent must name the branch of the payer's account. */
type BacenRecurrenceOptions = BacenDebitOptions & { needsPayerBranch: boolean }

/**
 * Creates the calls about recurrences (`rec`, `locrec`, `solicrec`). The API takes no id of ours: our reference is the contract, by which
 * a recurrence is found among those of its debtor.
 */
export function createBacenRecurrences(
  client: BacenRecurrenceClient,
  { now, receiver, needsPayerBranch }: BacenRecurrenceOptions,
): Required<RecurrenceCalls> {
  const { basePath } = client
  return {
    /**
     * Creates a recurrence by one request, which is not repeated: each makes one. An answer that is lost leaves it `unknown`. The location
     * of its code is made before, and shows nothing where no recurrence follows.
     */
    async createRecurrence(order) {
      // Without the account no debit can be made, so that no payer is asked for consent.
      if (!receiver) return receiverAccountMissing
      if (!hasNumericDocument(order.debtor)) return debtorUnsupported
      const location = order.journey === 'REQUEST' ? null : await createLocation(order)
      if (location && location.kind !== 'accepted') return location
      const json = buildRequest(order, location?.id)
      const call = { call: 'createRecurrence', method: 'POST', reference: order.reference } as const
      const request = { ...call, path: `${basePath}/rec`, json, hasOwnConnection: true } as const
      const outcome = await client.send(request, bacenRecSchema, rec =>
        isOrdered(order, rec) ? { rec } : undefined,
      )
      if (outcome.kind !== 'accepted') return rejectDeniedScope(outcome)
      const created = mapRecurrence(outcome.rec, order)
      if (!location) return { kind: 'accepted', recurrence: created }
      const shown = await findByRailId(created.railId, order)
      return { kind: 'accepted', recurrence: shown.kind === 'found' ? shown.recurrence : created }
    },

    async findRecurrence(sent) {
      if (sent.railId !== null) return findByRailId(sent.railId, sent)
      const listed = await findByContract(sent)
      if (listed.kind !== 'found') return listed
      const shown = await findByRailId(listed.railId, sent)
      return shown.kind === 'not_found' ? listedOnly : shown
    },

    async requestConsent(request) {
      if (needsPayerBranch && !request.payerAccount.agency) return payerBranchMissing
      const json = buildConsentRequest(request)
      const reference = request.railId
      const path = `${basePath}/solicrec`
      const call = { call: 'requestConsent', method: 'POST', reference, path, json } as const
      const outcome = await client.send(call, bacenConsentRequestSchema, ({ idRec }) =>
        idRec === request.railId ? {} : undefined,
      )
      if (outcome.kind === 'accepted') return { kind: 'requested' }
      return outcome.kind === 'rejected' && outcome.code === 'consent_request_refused'
        ? resolveConsentRefusal(request.railId, outcome)
        : rejectDeniedScope(outcome)
    },

    async cancelRecurrence({ railId }): Promise<CancelRecurrenceOutcome> {
      const call = { call: 'cancelRecurrence', method: 'PATCH', reference: railId } as const
      const request = { ...call, path: buildPath(railId), json: BACEN_CANCELLATION_REQUEST } as const
      const outcome = await client.lookUp(request, bacenRecSchema, rec =>
        rec.idRec === railId ? { status: rec.status } : undefined,
      )
      if (outcome.kind === 'found')
        return outcome.status === 'CANCELADA' ? { kind: 'cancelled' } : cancellationPending
      return outcome.kind === 'no_answer' && outcome.code === 'recurrence_refused'
        ? resolveCancelRefusal(railId, outcome)
        : outcome
    },
  }

  /** Creates the location of a code. Without one the recurrence is not ordered: whatever the request has made moves nothing. */
  async function createLocation({ reference }: ProviderRecurrenceRequest) {
    const call = { call: 'createRecurrenceLocation', method: 'POST', reference } as const
    const request = { ...call, path: `${basePath}/locrec` } as const
    const outcome = await client.send(request, bacenRecLocationSchema, ({ id }) => ({ id }))
    if (outcome.kind !== 'unknown') return outcome.kind === 'accepted' ? outcome : rejectDeniedScope(outcome)
    return { kind: 'unreachable', code: outcome.code, message: outcome.message } as const
  }

  /** Looks a recurrence up with its code; the code that also pays the first charge is asked for by its id. */
  async function findByRailId(
    railId: string,
    sent: Pick<SentRecurrence, 'reference' | 'firstChargeReference'>,
  ): Promise<FindRecurrenceOutcome> {
    const { firstChargeReference: txid } = sent
    const outcome = await lookUp(railId, txid === undefined ? '' : encodePath`?txid=${txid}`)
    // The bank refuses the charge where the payer has consented in another way than by its code.
    const isOtherJourney =
      txid !== undefined && outcome.kind === 'no_answer' && outcome.code === 'recurrence_code_refused'
    const shown = isOtherJourney ? await lookUp(railId, '') : outcome
    if (shown.kind !== 'found') return shown
    return { kind: 'found', recurrence: mapRecurrence(shown.rec, sent) }
  }

  function lookUp(railId: string, query: string) {
    const path = buildPath(railId) + query
    const call = { call: 'findRecurrence', reference: railId, path } as const
    return client.lookUp(call, bacenRecSchema, rec => (rec.idRec === railId ? { rec } : undefined))
  }

  /**
   * Finds a recurrence in the list of those of its debtor; of several with our contract one that has not ended. An unreadable one that may
   * be ours leaves it without an answer.
   */
  async function findByContract({ reference, debtor, orderedAt }: SentRecurrence) {
    const { document } = debtor
    const list = await client.readAllPages(
      {
        call: 'listRecurrences',
        path: `${basePath}/rec`,
        filter: document.length === 11 ? { cpf: document } : { cnpj: document },
        reference,
        field: 'recs',
        row: bacenRecSchema,
        keyOf: ({ idRec }) => idRec,
        toItem: rec => rec,
      },
      {
        from: new Date(Date.parse(orderedAt) - CLOCK_MARGIN_MS).toISOString(),
        to: new Date(Math.max(now(), Date.parse(orderedAt)) + CLOCK_MARGIN_MS).toISOString(),
      },
    )
    if (list.kind === 'no_answer') return list
    const ours = list.items.filter(({ vinculo }) => vinculo.contrato === reference)
    const found = ours.find(({ status }) => status === 'CRIADA' || status === 'APROVADA') ?? ours[0]
    if (found) return { kind: 'found', railId: found.idRec } as const
    const mayBeOurs = list.unreadableItems.some(
      item => (bacenContractSchema.safeParse(item).data?.vinculo.contrato ?? reference) === reference,
    )
    return mayBeOurs ? rowUnreadable : ({ kind: 'not_found' } as const)
  }

  /**
   * Looks up a recurrence whose request for consent was refused, as a second one is while the first is active: `requested` if it has one, or
   * its payer has answered. A bank that does not show the requests leaves it open whether there is one.
   */
  async function resolveConsentRefusal(
    railId: string,
    refusal: RejectedResult,
  ): Promise<RequestConsentOutcome> {
    const outcome = await lookUp(railId, '')
    if (outcome.kind !== 'found') return toUnprovenRefusal(refusal)
    const { status, solicitacao } = outcome.rec
    if (status !== 'CRIADA' || solicitacao?.some(request => ACTIVE_REQUESTS.includes(request.status)))
      return { kind: 'requested' }
    return solicitacao ? refusal : toUnprovenRefusal(refusal)
  }

  /** Looks up a recurrence whose cancellation the bank refused because it has ended: `cancelled` if it was cancelled already. */
  async function resolveCancelRefusal(
    railId: string,
    { code, message }: NoAnswerResult,
  ): Promise<CancelRecurrenceOutcome> {
    const outcome = await lookUp(railId, '')
    if (outcome.kind === 'no_answer') return { ...outcome, isUnprocessed: true }
    if (outcome.kind === 'not_found') return outcome
    return outcome.rec.status === 'CANCELADA' ? { kind: 'cancelled' } : { kind: 'refused', code, message }
  }

  function buildPath(railId: string): string {
    return basePath + encodePath`/rec/${railId}`
  }
}

/** By how much the clock of a bank may differ: Efí has labelled local times as UTC, three hours behind. */
const CLOCK_MARGIN_MS = DAY

const ACTIVE_REQUESTS: (string | null | undefined)[] = ['CRIADA', 'ENVIADA', 'RECEBIDA']
/** Of a request that is with the payer's bank, or that the payer has accepted. */
const RECEIVED_REQUESTS: (string | null | undefined)[] = ['RECEBIDA', 'ACEITA']

const FREQUENCIES: Record<Frequency, BacenRecFrequency> = {
  WEEKLY: 'SEMANAL',
  MONTHLY: 'MENSAL',
  QUARTERLY: 'TRIMESTRAL',
  SEMIANNUAL: 'SEMESTRAL',
  ANNUAL: 'ANUAL',
}

const RETRY_POLICIES = { NOT_ALLOWED: 'NAO_PERMITE', THREE_IN_SEVEN_DAYS: 'PERMITE_3R_7D' } as const

/** The journeys whose code also pays the first charge. */
const JOURNEYS_WITH_CHARGE: readonly Journey[] = ['QR_WITH_PAYMENT', 'PAYMENT_THEN_OFFER']

function buildRequest(order: ProviderRecurrenceRequest, loc: number | undefined) {
  const { reference, subject, debtor, journey, firstChargeReference: txid } = order
  if (JOURNEYS_WITH_CHARGE.includes(journey) !== (txid !== undefined))
    throw new Error(`the journey ${journey} and the first charge contradict each other`)
  return bacenRecRequestSchema.parse({
    vinculo: {
      contrato: reference,
      devedor: toDebtor(debtor),
      ...(subject !== undefined && { objeto: subject }),
    },
    calendario: {
      dataInicial: order.startsOn,
      ...(order.endsOn !== undefined && { dataFinal: order.endsOn }),
      periodicidade: FREQUENCIES[order.frequency],
    },
    // Efí's type requires one of both; the payer's limit is never below a centavo.
    valor:
      order.valueCents === undefined
        ? { valorMinimoRecebedor: order.minimumCents ?? 1 }
        : { valorRec: order.valueCents },
    politicaRetentativa: RETRY_POLICIES[order.retryPolicy],
    ...(loc !== undefined && { loc }),
    ...(txid !== undefined && { ativacao: { dadosJornada: { txid } } }),
  })
}

function toDebtor({ name, document }: ProviderRecurrenceRequest['debtor']) {
  return { ...toDocument(document), nome: name.slice(0, 140) }
}

function toDocument(document: string) {
  return document.length === 11 ? { cpf: document } : { cnpj: document }
}

function buildConsentRequest({ railId, debtorDocument, payerAccount, expiresAt }: ConsentRequest) {
  const { agency, account, ispb } = payerAccount
  return bacenConsentOrderSchema.parse({
    idRec: railId,
    calendario: { dataExpiracaoSolicitacao: expiresAt },
    destinatario: {
      ...(agency && { agencia: agency }),
      conta: account,
      ...toDocument(debtorDocument),
      ispbParticipante: ispb,
    },
  })
}

/** Tells whether a recurrence is the ordered one; what the bank leaves out contradicts nothing. */
function isOrdered(order: ProviderRecurrenceRequest, { vinculo, calendario, valor }: BacenRec): boolean {
  const isSame = (shown: unknown, ordered: unknown) => shown == null || shown === ordered
  return (
    vinculo.contrato === order.reference &&
    isSame(calendario?.dataInicial, order.startsOn) &&
    isSame(calendario?.periodicidade, FREQUENCIES[order.frequency]) &&
    isSame(valor?.valorRec, order.valueCents)
  )
}

/** Maps a recurrence. A code that does not pay the first charge of a recurrence with one is not shown. */
function mapRecurrence(
  rec: BacenRec,
  { firstChargeReference }: Pick<SentRecurrence, 'firstChargeReference'>,
): ProviderRecurrence {
  const { idRec: railId, encerramento, dadosQR } = rec
  const code = getEndingCode(encerramento)
  const cancelledBy = getSide(encerramento?.cancelamento?.solicitante)
  const journeys = firstChargeReference === undefined ? ['JORNADA_2'] : ['JORNADA_3', 'JORNADA_4']
  const isUsable = journeys.includes(dadosQR?.jornada ?? '')
  return {
    railId,
    status: mapStatus(rec),
    ...(code !== undefined && { code }),
    ...(cancelledBy && { cancelledBy }),
    payload: (isUsable && dadosQR?.pixCopiaECola) || null,
  }
}

function mapStatus({ status, solicitacao }: BacenRec): ProviderRecurrence['status'] {
  switch (status) {
    case 'CRIADA':
      return (solicitacao ?? []).some(request => RECEIVED_REQUESTS.includes(request.status))
        ? 'received'
        : 'waiting'
    case 'APROVADA':
      return 'active'
    case 'REJEITADA':
      return 'rejected'
    case 'EXPIRADA':
      return 'expired'
    case 'CANCELADA':
      return 'cancelled'
  }
}

/** Gets the side that cancelled: a person or their bank. */
function getSide(source: string | null | undefined): ProviderRecurrence['cancelledBy'] {
  if (source === 'USUARIO_PAGADOR' || source === 'PSP_PAGADOR') return 'payer'
  return source === 'USUARIO_RECEBEDOR' || source === 'PSP_RECEBEDOR' ? 'receiver' : undefined
}

/** Turns the refusal of a token for the scopes of recurrences into a refusal by this bank. */
function rejectDeniedScope(outcome: NotAcceptedResult): NotAcceptedResult {
  return outcome.kind === 'unreachable' && outcome.code === SCOPE_DENIED
    ? rejectForThisProvider(SCOPE_DENIED, outcome.message)
    : outcome
}

const rowUnreadable: NoAnswerResult = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'The provider lists a recurrence of the debtor that is unreadable',
}
const listedOnly: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'The provider lists the recurrence and does not find it yet',
}
const cancellationPending: NoAnswerResult = {
  kind: 'no_answer',
  code: 'cancellation_pending',
  message: 'The provider has the cancellation and has not carried it out yet',
}
