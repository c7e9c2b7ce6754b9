import { z } from 'zod'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { createBacenAutomaticPix } from '../bacen/automatic-pix.ts'
import { createBankAdapter } from '../bacen/bank-adapter.ts'
import { bacenBlockedSchema, bacenSumSchema } from '../bacen/schemas.ts'
import type { ClosableProvider } from '../port.ts'
import { createInterClient, INTER_BANKING_PATH, type InterCredentials } from './client.ts'
import { INTER_NOTIFICATIONS } from './notifications.ts'
import { createInterStatement } from './statement.ts'
import { createInterTransfers } from './transfers.ts'

/** Creates the adapter of Banco Inter: the Central Bank's Pix API, and its own, Banking. */
export function createInterAdapter(options: AdapterOptions<InterCredentials>): ClosableProvider {
  const client = createInterClient(options)
  const { now = Date.now, credentials } = options
  const { statement, findListedPayment } = createInterStatement(client, now)
  const automaticPix = createBacenAutomaticPix(client, {
    now,
    receiver: { agencia: INTER_BRANCH, conta: credentials.account_number, tipoConta: 'CORRENTE' },
    needsPayerBranch: false,
    notifications: { secret: credentials.notification_secret },
  })
  const adapter = createBankAdapter(
    client,
    options,
    { ...INTER_PROFILE, automaticPix },
    {
      ...createInterTransfers(client),
      statement,
    },
  )
  return {
    ...adapter,
    /** Inter's Pix API finds only what paid a charge; any other received PIX is in the statement alone. */
    async findPayment(endToEnd) {
      const outcome = await adapter.findPayment(endToEnd)
      return outcome.kind === 'not_found' ? findListedPayment(endToEnd) : outcome
    },
  }
}

/** The only branch of Inter. */
const INTER_BRANCH = '0001'

const balanceSchema = z
  .object({
    disponivel: bacenSumSchema,
    bloqueadoCheque: bacenBlockedSchema,
    bloqueadoJudicialmente: bacenBlockedSchema,
    bloqueadoAdministrativo: bacenBlockedSchema,
  })
  .transform(({ disponivel, ...blocked }) => ({
    availableCents: disponivel,
    blockedCents: Object.values(blocked).reduce((sum, cents) => sum + cents, 0),
  }))

const INTER_PROFILE = {
  balance: { path: `${INTER_BANKING_PATH}/saldo`, schema: balanceSchema },
  sentWebhookPath: `${INTER_BANKING_PATH}/webhooks/pix-pagamento`,
  /** Inter takes no sign before a phone in the path of a webhook. */
  toWebhookKey: (key: string) => key.replace(/^\+/, ''),
  notifications: INTER_NOTIFICATIONS,
}
