import { z } from 'zod'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { createBankAdapter } from '../bacen/bank-adapter.ts'
import type { ParseOtherNotification } from '../bacen/notifications.ts'
import { bacenBlockedSchema, bacenSumSchema } from '../bacen/schemas.ts'
import { readBacenStatement } from '../bacen/statement.ts'
import type { ClosableProvider } from '../port.ts'
import {
  createSicoobClient,
  SICOOB_ACCOUNT_PATH,
  SICOOB_PAYMENTS_PATH,
  type SicoobCredentials,
} from './client.ts'
import { createSicoobTransfers } from './transfers.ts'

/** Creates the adapter of Sicoob: the Central Bank's Pix API, its own payments, and its current accounts. */
export function createSicoobAdapter(options: AdapterOptions<SicoobCredentials>): ClosableProvider {
  const client = createSicoobClient(options)
  const { account_number } = options.credentials
  const profile = {
    balance: {
      path: `${SICOOB_ACCOUNT_PATH}/saldo?numeroContaCorrente=${account_number}`,
      schema: sicoobBalanceSchema,
    },
    sentWebhookPath: `${SICOOB_PAYMENTS_PATH}/webhook`,
    notifications: { parseOther: parsePayment },
  }
  return createBankAdapter(client, options, profile, {
    ...createSicoobTransfers(client, options.now ?? Date.now),

    /** Lists received PIX and our devoluções of them. Sicoob has no list of sent payments with their end-to-end ids. */
    async statement(from, to) {
      const outcome = await readBacenStatement(client, { from, to })
      return outcome.kind === 'found' ? { ...outcome, leavesOutTransfers: true } : outcome
    },
  })
}

/** Amounts in reais, as numbers ("Saldo", Conta Corrente 2.1.1.43). */
const balanceSchema = z
  .object({ saldo: bacenSumSchema, saldoBloqueado: bacenBlockedSchema })
  .transform(({ saldo, saldoBloqueado }) => ({ availableCents: saldo, blockedCents: saldoBloqueado }))
/** A balance: as the operation describes it, or inside `resultado`, as the schema SicoobResposta of the same document has it. */
const sicoobBalanceSchema = z.union([
  balanceSchema,
  z.object({ resultado: balanceSchema }).transform(({ resultado }) => resultado),
])

/**
 * A sent payment (API Pagamentos PIX, callback "lancamento"): inside a payload in the description of the callback, without it
 * in that document's examples. It is known by its end-to-end id, without an id of ours.
 */
const paymentSchema = z.object({ id: z.string().regex(/^[a-zA-Z0-9]{32}$/), pix: z.undefined().optional() })
const notifiedPaymentSchema = z.union([
  z.object({ payload: paymentSchema }).transform(({ payload }) => payload),
  paymentSchema,
])

const parsePayment: ParseOtherNotification = (json, body) => {
  const { data } = notifiedPaymentSchema.safeParse(json)
  return data && { items: [{ kind: 'transfer', reference: null, endToEnd: data.id, raw: body }] }
}
