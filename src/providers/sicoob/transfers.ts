import { z } from 'zod'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import { findRailCode } from '../../domain/pix/rail-codes.ts'
import type {
  NoAnswerResult,
  PayoutHandle,
  PreparePayoutOutcome,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import { optionalInstant, optionalText } from '../adapter/fields.ts'
import { checkKeyOwner } from '../adapter/key-owner.ts'
import {
  rejectFailedAcceptance,
  rejectForThisProvider,
  toPayoutRejection,
  toUnprovenRefusal,
} from '../adapter/outcomes.ts'
import { createPartySchema } from '../adapter/party.ts'
import { codeUnsupported } from '../adapter/unsupported-calls.ts'
import { amountSchema, centsSchema } from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { KeyLookUpCalls, TransferCalls } from '../port.ts'
import { SICOOB_PAYMENTS_PATH, type SicoobClient } from './client.ts'

type SicoobTransferCalls = TransferCalls & Pick<KeyLookUpCalls, 'lookUpKey'>

/**
 * Creates the calls about payments (Pagamentos PIX 2.0.24.6). A payment is initiated first: Sicoob looks the key up and names the
 * end-to-end id of the PIX, and no money moves until the payment is confirmed by it. Sicoob takes no id of ours: a payment is known by
 * its end-to-end id alone, so without a handle its absence is never proved. A payment to an account is not initiated: it is
 * confirmed once, and its answer names the id; where none arrives, operators settle it by the bank's statement. `now`: wall clock in milliseconds.
 */
export function createSicoobTransfers(client: SicoobClient, now: () => number): SicoobTransferCalls {
  return {
    preparedDestinations: ['key'],

    async prepareTransfer(order) {
      if (order.destination.kind !== 'key') throw new Error('Sicoob initiates payments to keys only')
      const { pixKey, document } = order.destination
      const json = initiationRequestSchema.parse({ chave: pixKey })
      const call = { call: 'prepareTransfer', reference: order.id, path: SICOOB_PAYMENTS_PATH } as const
      const outcome = await client.send({ ...call, method: 'POST', json }, initiatedPaymentSchema, payment =>
        (payment.chave ?? pixKey) === pixKey ? { payment } : undefined,
      )
      if (outcome.kind === 'accepted') return toPreparation(outcome.payment, document, now())
      // Nothing has moved, whatever the answer.
      if (outcome.kind === 'unknown')
        return { kind: 'no_answer', code: outcome.code, message: outcome.message }
      return outcome
    },

    /** Initiates a payment of the key, which names its owner; nothing confirms it. Sicoob publishes no answer for a key that does not exist. */
    async lookUpKey(key) {
      const json = initiationRequestSchema.parse({ chave: key })
      const call = { call: 'lookUpKey', path: SICOOB_PAYMENTS_PATH, method: 'POST', json } as const
      return client.lookUp(call, initiatedPaymentSchema, ({ chave, proprietario: owner }) =>
        (chave ?? key) === key && owner?.name && owner.document ? { owner } : undefined,
      )
    },

    async sendTransfer(order, handle) {
      const means = buildMeans(order.destination, handle)
      if ('kind' in means) return means
      const json = confirmationRequestSchema.parse({
        ...means,
        valor: order.cents,
        descricao: order.message?.slice(0, 140),
      })
      const path = `${SICOOB_PAYMENTS_PATH}/confirmacao`
      const call = { call: 'sendTransfer', reference: order.id, path, json } as const
      const request = { ...call, method: 'POST', hasOwnConnection: true } as const
      const outcome = await client.send(request, sicoobPaymentSchema, payment => {
        const { endToEndId } = payment
        const isOrdered = endToEndId === (means.endToEndId ?? endToEndId) && payment.valor === order.cents
        if (!isOrdered || isWithoutOutcome(payment)) return undefined
        const payout = { ...mapPayment(payment), ...(!handle && { handle: { ref: endToEndId } }) }
        return { payout, isCarriedOut: payment.estado !== NOT_CARRIED_OUT }
      })
      // A repeated confirmation may be refused as well: the refusal counts once the absence of the payment is proved. A payment to
      // an account is never repeated.
      if (outcome.kind === 'rejected' && handle) return toUnprovenRefusal(outcome)
      if (outcome.kind !== 'accepted') return outcome
      const { payout, isCarriedOut } = outcome
      // What Sicoob itself did not carry out, another provider may; what the receiver's side rejected, none.
      return rejectFailedAcceptance(
        { kind: 'accepted', payout },
        isCarriedOut ? undefined : () => 'other_may_help',
      )
    },

    /**
     * Looks a payment up by its end-to-end id. One that was not carried out and has no reason of a refusal is as one that is
     * not found: it was initiated, and has not been confirmed.
     */
    async findTransfer({ id, handle }) {
      if (!handle) return notLookedUp
      const path = SICOOB_PAYMENTS_PATH + encodePath`/${handle.ref}`
      const call = { call: 'findTransfer', reference: id, path } as const
      const outcome = await client.lookUp(call, sicoobPaymentSchema, payment =>
        payment.endToEndId === handle.ref ? { payment } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      const { payment } = outcome
      if (isWithoutOutcome(payment)) return { kind: 'not_found' }
      return { kind: 'found', payout: mapPayment(payment) }
    },
  }
}

const notPrepared = rejectForThisProvider('preparation_expired', 'The payment was not prepared')
const documentUnsupported = rejectForThisProvider(
  'document_unsupported',
  'The provider pays an account only to a CPF or CNPJ without letters',
)
const notLookedUp: NoAnswerResult = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'The provider looks a payment up by its end-to-end id only',
  isLasting: true,
}

const endToEndSchema = z.string().regex(/^[a-zA-Z0-9]{32}$/)

const initiationRequestSchema = z.strictObject({ chave: z.string().min(1).max(77) })

/** A payment that was initiated ("PagamentoIniciadoDict"): `proprietario` is the owner of the key. */
const initiatedPaymentSchema = z.object({
  endToEndId: endToEndSchema,
  chave: optionalText,
  proprietario: createPartySchema({ document: 'identificador', name: 'nome' }),
})

/** How long an initiated payment is confirmed: the rail checks the minute in which its end-to-end id says that it was made. */
const CONFIRMATION_PERIOD_MS = 15 * MINUTE

/** Converts an initiated payment to a preparation, or to a refusal where the key is not of the document that the order names. */
function toPreparation(
  { endToEndId: endToEnd, proprietario: owner }: z.infer<typeof initiatedPaymentSchema>,
  document: string | null,
  nowMs: number,
): PreparePayoutOutcome {
  const refusal = checkKeyOwner(document, owner?.document)
  if (refusal) return refusal
  const initiatedAtMs = Math.min(timeOfRailId(endToEnd) ?? nowMs, nowMs)
  const expiresAt = new Date(initiatedAtMs + CONFIRMATION_PERIOD_MS).toISOString()
  return {
    kind: 'prepared',
    handle: { ref: endToEnd, endToEnd, expiresAt, ...(owner && { receiver: owner }) },
  }
}

/** Builds by what a payment is carried out: the initiation of a key, or the account that it goes to; or why it is not. */
function buildMeans(destination: TransferDestination, handle: PayoutHandle | undefined) {
  switch (destination.kind) {
    case 'key':
      return handle ? { meioIniciacao: 'CHAVE', endToEndId: handle.ref } : notPrepared
    case 'account': {
      const { name, document, bank, account_agency, account_number, account_type } = destination.account
      if (!DIGITS.test(document)) return documentUnsupported
      const destino = {
        ispb: bank.ispb,
        cpfCnpj: document,
        nome: name,
        conta: account_number,
        agencia: account_agency,
        tipo: SICOOB_ACCOUNT_TYPES[account_type],
      }
      return { meioIniciacao: 'MANUAL', destino }
    }
    case 'code':
      return codeUnsupported
  }
}

const DIGITS = /^[0-9]+$/
/** `tipo` of "DadosContaUsuarioDestino". */
const SICOOB_ACCOUNT_TYPES = {
  CHECKING: 'CORRENTE',
  PAYMENT: 'CONTAPAGAMENTO',
  SAVINGS: 'POUPANCA',
  SALARY: 'SALARIO',
} as const

const confirmationFields = {
  /** Reais with a decimal comma, only in this request (`^[0-9]{1,18}([,][0-9]{1,2})?$`). */
  valor: amountSchema.transform(text => text.replace('.', ',')),
  descricao: z.string().max(140).optional(),
}
const confirmationRequestSchema = z.discriminatedUnion('meioIniciacao', [
  z.strictObject({
    meioIniciacao: z.literal('CHAVE'),
    endToEndId: endToEndSchema,
    ...confirmationFields,
  }),
  z.strictObject({
    meioIniciacao: z.literal('MANUAL'),
    destino: z.strictObject({
      ispb: z.string().length(8),
      cpfCnpj: z.string().regex(/^[0-9]{11}([0-9]{3})?$/),
      nome: z.string().min(1).max(140),
      conta: z.string().regex(/^[0-9]{1,20}$/),
      agencia: z.string().regex(/^[0-9]{1,4}$/),
      tipo: z.enum(Object.values(SICOOB_ACCOUNT_TYPES)),
    }),
    ...confirmationFields,
  }),
])

/** The state of a payment that Sicoob did not carry out. */
const NOT_CARRIED_OUT = 'NÃO_REALIZADO'
const PAYMENT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  FINALIZADO: 'settled',
  REJEITADO: 'rejected',
  [NOT_CARRIED_OUT]: 'rejected',
} as const

/** A payment ("RetornoPagamento"); `valor` is a number of reais, and `destino` the receiver. */
const sicoobPaymentSchema = z.object({
  endToEndId: endToEndSchema,
  estado: z.enum(['EM_PROCESSAMENTO', 'FINALIZADO', 'REJEITADO', NOT_CARRIED_OUT]),
  valor: centsSchema,
  detalheRejeicao: optionalText,
  horario: optionalInstant,
  destino: createPartySchema({
    name: 'nome',
    document: 'cpfCnpj',
    account: 'conta',
    agency: 'agencia',
    ispb: 'ispb',
  }),
})
type SicoobPayment = z.infer<typeof sicoobPaymentSchema>

/** Tells whether a payment is not carried out and Sicoob names no reason of a refusal, so that it may be still to be confirmed. */
function isWithoutOutcome({ estado, detalheRejeicao }: SicoobPayment): boolean {
  return estado === NOT_CARRIED_OUT && !detalheRejeicao
}

function mapPayment(payment: SicoobPayment): ProviderPayout {
  const { estado, valor: cents, endToEndId: endToEnd, detalheRejeicao: detail } = payment
  const status = PAYMENT_STATUSES[estado]
  return {
    status,
    cents,
    endToEnd,
    at: payment.horario ?? null,
    ...(status === 'rejected' && toPayoutRejection(findRailCode(detail), detail)),
    receiver: payment.destino,
    // No call lists what a recipient gave back: there is nothing to poll for.
    returns: [],
  }
}
