import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { ANY_ANSWER } from '../adapter/answer-parsing.ts'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import type { BacenAutomaticPix } from '../bacen/automatic-pix.ts'
import { bacenSumSchema } from '../bacen/schemas.ts'
import { createBacenWebhooks } from '../bacen/webhook.ts'
import type { AccountCalls } from '../port.ts'
import type { EfiClient, EfiCredentials } from './client.ts'
import { efiRandomKeysSchema } from './schemas.ts'

/** Headers of the registration of a URL of notifications: without Efí's check of mTLS. */
export const EFI_WEBHOOK_HEADERS = { 'x-skip-mtls-checking': 'true' }

/** Creates the calls about the Efí account as a whole: its identity, its balance and the URL of its notifications. */
export function createEfiAccount(
  client: EfiClient,
  {
    credentials: { notification_secret },
    baseUrl,
  }: Pick<AdapterOptions<EfiCredentials>, 'credentials' | 'baseUrl'>,
  recurrenceWebhooks: BacenAutomaticPix['webhooks'],
): AccountCalls {
  const webhooks = createBacenWebhooks(client, notification_secret, EFI_WEBHOOK_HEADERS)
  return {
    /**
     * Identifies the account by its random keys ("Listar chaves evp"), because Efí publishes no call that names the account,
     * and a random key belongs to one account only; and by the code in the access token. The host is part of the code: Efí's
     * environment for tests may have the same account with money of its own.
     */
    async identity() {
      const request = { call: 'listKeys', path: '/v2/gn/evp' } as const
      const outcome = await client.lookUpExisting(request, efiRandomKeysSchema, ({ chaves }) => ({
        keys: chaves,
      }))
      if (outcome.kind === 'no_answer') return outcome
      const code = await client.findAccountCode()
      return code === undefined ? outcome : { ...outcome, code: `${new URL(baseUrl).host} ${code}` }
    },

    async balances() {
      const request = { call: 'balances', path: '/v2/gn/saldo?bloqueios=true' } as const
      return client.lookUpExisting(request, saldoSchema, ({ saldo: availableCents, bloqueios }) => ({
        balance: { availableCents, blockedCents: bloqueios?.total ?? 0 },
      }))
    },

    findReplacedUrl: webhooks.findReplacedUrl,

    /**
     * Registers the URL with our secret as its last part; Efí appends `/pix`, and about recurrences `/rec` and `/cobr`. The secret is always verified, Efí's
     * client certificate only by a proxy that is set up for it, so the call skips Efí's check of mTLS. Efí notifies a
     * PIX without a txid, and the payer of a PIX, only if the account's configuration enables it, which needs a permission
     * of its own: without it the result carries a warning.
     */
    async registerNotificationUrl(url, collectionKey) {
      const outcome = await webhooks.registerKeyUrl(url, collectionKey)
      if (outcome.kind === 'no_answer') return outcome
      const failure = await configureNotifications(collectionKey!)
      const { warning } = await recurrenceWebhooks.registerUrls(url)
      const warnings = [failure && `${NOT_CONFIGURED_WARNING} (${failure.message})`, warning].filter(Boolean)
      return { kind: 'registered', ...(warnings.length > 0 && { warning: warnings.join('. ') }) }
    },
  }

  /** Enables notifications of PIX without a txid, and of payers, for a key; null on success. May be repeated. */
  async function configureNotifications(key: string): Promise<NoAnswerResult | null> {
    const call = { call: 'registerNotificationUrl', path: '/v2/gn/config' } as const
    const configOutcome = await client.lookUpExisting(call, accountConfigSchema, config => ({ config }))
    if (configOutcome.kind === 'no_answer') return configOutcome
    const json = enableNotifications(configOutcome.config, key)
    if (json === null) return null
    const outcome = await client.lookUpExisting({ ...call, method: 'PUT', json }, ANY_ANSWER, () => ({}))
    return outcome.kind === 'no_answer' ? outcome : null
  }
}

const NOT_CONFIGURED_WARNING =
  'Efí does not notify PIX without a txid, nor payers: set notificar.pixSemTxid and notificacao.pagador in the account configuration; until then such PIX are found by reconciliation only, and payers stay unknown'

const saldoSchema = z.object({
  saldo: bacenSumSchema,
  bloqueios: z.object({ total: bacenSumSchema.refine(cents => cents >= 0) }).nullish(),
})

/** Names only the fields that `enableNotifications` changes; the loose objects keep every other field. */
const receivingConfigSchema = z.looseObject({
  webhook: z
    .looseObject({
      notificar: z.looseObject({ pixSemTxid: z.boolean().nullish() }).nullish(),
      notificacao: z.looseObject({ pagador: z.boolean().nullish() }).nullish(),
    })
    .nullish(),
})
const keyConfigSchema = z.looseObject({ recebimento: receivingConfigSchema.nullish() })
const accountConfigSchema = z.looseObject({
  pix: z.looseObject({ chaves: z.record(z.string(), keyConfigSchema).nullish() }).nullish(),
})
type EfiAccountConfig = z.infer<typeof accountConfigSchema>

/**
 * Builds the account configuration that makes Efí notify PIX without a txid, and payers, for a key; null if it does already
 * ("Criar/modificar configurações da conta"). Fields that Efí requires and the account has not set get the values that
 * restrict nothing.
 */
function enableNotifications({ pix, ...others }: EfiAccountConfig, key: string) {
  const { [key]: keyConfig, ...otherKeys } = pix?.chaves ?? {}
  const currentConfig = keyConfig?.recebimento
  const { notificar, notificacao } = currentConfig?.webhook ?? {}
  if (notificar?.pixSemTxid === true && notificacao?.pagador === true) return null
  const recebimento = {
    txidObrigatorio: false,
    qrCodeEstatico: { recusarTodos: false },
    ...currentConfig,
    webhook: {
      ...currentConfig?.webhook,
      notificar: { ...notificar, pixSemTxid: true },
      notificacao: { tarifa: false, ...notificacao, pagador: true },
    },
  }
  return {
    ...others,
    pix: { receberSemChave: true, ...pix, chaves: { ...otherKeys, [key]: { ...keyConfig, recebimento } } },
  }
}
