import { z } from 'zod'
import { timeOfRailId } from '../../domain/pix/identifiers.ts'
import { isRailCode } from '../../domain/pix/rail-codes.ts'
import type {
  PayoutHandle,
  PreparePayoutOutcome,
  ProviderPayout,
  ProviderTransferRequest,
} from '../../domain/providers/provider.ts'
import { MINUTE } from '../../domain/shared/intervals.ts'
import { optionalField, optionalInstant, optionalText } from '../adapter/fields.ts'
import { checkKeyOwner } from '../adapter/key-owner.ts'
import { rejectFailedAcceptance, rejectForThisProvider, toPayoutRejection } from '../adapter/outcomes.ts'
import { toParty } from '../adapter/party.ts'
import { amountSchema, centsSchema } from '../bacen/schemas.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import { SICOOB_PAYMENTS_PATH, type SicoobClient } from './client.ts'

/**
 * Creates the calls about payments (Sicoob, API Pagamentos PIX 2.0.24.6). A payment is a draft first, which Sicoob gives the
 * end-to-end id of the PIX, and moves money once the draft is confirmed. Sicoob takes no id of ours: a payment is known by
 * its end-to-end id alone, and without one its absence cannot be proved.
 */
export function createSicoobTransfers(client: SicoobClient): TransferCalls {
  return {
    async prepareTransfer(order) {
      const call = { call: 'prepareTransfer', reference: order.id, path: SICOOB_PAYMENTS_PATH } as const
      const request = { ...call, method: 'POST', json: { chave: order.pixKey } } as const
      const outcome = await client.send(request, draftSchema, draft =>
        (draft.chave ?? order.pixKey) === order.pixKey ? { draft } : undefined,
      )
      switch (outcome.kind) {
        case 'accepted':
          return toPrepared(order, outcome.draft)
        case 'unknown':
          return { kind: 'no_answer', code: outcome.code, message: outcome.message }
        default:
          return outcome
      }
    },

    async sendTransfer(order, handle) {
      if (!handle) return notPrepared
      const call = { call: 'sendTransfer', reference: order.id } as const
      const path = `${SICOOB_PAYMENTS_PATH}/confirmacao`
      const json = confirmationSchema.parse({
        endToEndId: handle.ref,
        valor: order.cents,
        meioIniciacao: 'CHAVE',
        descricao: order.message?.slice(0, 140),
      })
      const request = { ...call, path, method: 'POST', json, hasOwnConnection: true } as const
      const outcome = await client.send(request, paymentSchema, payment => {
        const isOrdered = payment.endToEndId === handle.ref && payment.valor === order.cents
        return isOrdered && payment.estado !== NOT_DONE ? { payout: mapPayment(payment) } : undefined
      })
      return rejectFailedAcceptance(outcome)
    },

    /** Looks a payment up by its end-to-end id. A draft that was not confirmed is not found: nothing was carried out. */
    async findTransfer({ id, handle }) {
      if (!handle) return notPreparedHere
      const path = SICOOB_PAYMENTS_PATH + encodePath`/${handle.ref}`
      const outcome = await client.lookUp(
        { call: 'findTransfer', reference: id, path },
        paymentSchema,
        payment => (payment.endToEndId === handle.ref ? { payment } : undefined),
      )
      if (outcome.kind !== 'found') return outcome
      const { payment } = outcome
      return payment.estado === NOT_DONE
        ? { kind: 'not_found' }
        : { kind: 'found', payout: mapPayment(payment) }
    },
  }
}

/** State of a draft that was not confirmed. */
const NOT_DONE = 'NÃO_REALIZADO'
const PAYMENT_STATUSES = {
  EM_PROCESSAMENTO: 'in_process',
  FINALIZADO: 'settled',
  REJEITADO: 'rejected',
  [NOT_DONE]: 'in_process',
} as const

/** How long a draft is confirmed: its end-to-end id names the minute in which it was made, which the rail checks. */
const DRAFT_LIFE_MS = 15 * MINUTE

const endToEndSchema = z.string().regex(/^[a-zA-Z0-9]{32}$/)
const draftSchema = z.object({
  endToEndId: endToEndSchema,
  chave: optionalText,
  proprietario: optionalField(z.object({ identificador: optionalText, nome: optionalText })),
})
type SicoobDraft = z.infer<typeof draftSchema>

const confirmationSchema = z.strictObject({
  endToEndId: endToEndSchema,
  // Sicoob separates the cents by a comma in this request (`^[0-9]{1,18}([,][0-9]{1,2})?$`).
  valor: amountSchema.transform(text => text.replace('.', ',')),
  meioIniciacao: z.literal('CHAVE'),
  descricao: z.string().max(140).optional(),
})

const accountSchema = z.object({
  ispb: optionalText,
  cpfCnpj: optionalText,
  nome: optionalText,
  conta: optionalText,
  agencia: optionalText,
  tipo: optionalText,
  chaveDict: optionalText,
})
const paymentSchema = z.object({
  endToEndId: z.string(),
  estado: z.enum([NOT_DONE, 'EM_PROCESSAMENTO', 'FINALIZADO', 'REJEITADO']),
  valor: centsSchema,
  detalheRejeicao: optionalText,
  horario: optionalInstant,
  destino: optionalField(accountSchema),
})
type SicoobPayment = z.infer<typeof paymentSchema>

function toPrepared(order: ProviderTransferRequest, draft: SicoobDraft): PreparePayoutOutcome {
  const { endToEndId: endToEnd, proprietario } = draft
  const refusal = checkKeyOwner(order, proprietario?.identificador)
  if (refusal) return refusal
  const madeAtMs = timeOfRailId(endToEnd) ?? Date.now()
  const handle: PayoutHandle = {
    ref: endToEnd,
    endToEnd,
    expiresAt: new Date(madeAtMs + DRAFT_LIFE_MS).toISOString(),
    ...(proprietario && {
      receiver: toParty({ name: proprietario.nome, document: proprietario.identificador }),
    }),
  }
  return { kind: 'prepared', handle }
}

const notPrepared = rejectForThisProvider('preparation_expired', 'The payment was not prepared')
const notPreparedHere = {
  kind: 'no_answer',
  code: 'no_handle',
  message: 'Sicoob looks payments up by their end-to-end id only',
} as const

function mapPayment({
  estado,
  valor,
  endToEndId,
  horario,
  detalheRejeicao,
  destino,
}: SicoobPayment): ProviderPayout {
  const status = PAYMENT_STATUSES[estado]
  const railCode = detalheRejeicao && isRailCode(detalheRejeicao) ? detalheRejeicao : undefined
  return {
    status,
    cents: valor,
    endToEnd: endToEndId,
    at: horario ?? null,
    ...(status === 'rejected' && toPayoutRejection(railCode, detalheRejeicao)),
    receiver: destino
      ? toParty({
          name: destino.nome,
          document: destino.cpfCnpj,
          ispb: destino.ispb,
        })
      : null,
  }
}
