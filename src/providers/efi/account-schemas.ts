import { z } from 'zod'
import { efiSumSchema } from './schemas.ts'

export const efiSaldoSchema = z.object({
  saldo: efiSumSchema,
  bloqueios: z.object({ total: efiSumSchema }).nullish(),
})

/** Names only the fields that `enablePixWithoutTxid` changes; the loose objects keep every other field. */
const receivingConfigSchema = z.looseObject({
  webhook: z
    .looseObject({ notificar: z.looseObject({ pixSemTxid: z.boolean().nullish() }).nullish() })
    .nullish(),
})
const keyConfigSchema = z.looseObject({ recebimento: receivingConfigSchema.nullish() })
export const efiAccountConfigSchema = z.looseObject({
  pix: z.looseObject({ chaves: z.record(z.string(), keyConfigSchema).nullish() }).nullish(),
})
export type EfiAccountConfig = z.infer<typeof efiAccountConfigSchema>

/**
 * Builds the account configuration that makes Efí notify PIX without a txid for a key; null if it does already
 * ("Criar/modificar configurações da conta"). Fields that Efí requires and the account has not set get the values that
 * restrict nothing.
 */
export function enablePixWithoutTxid({ pix, ...others }: EfiAccountConfig, key: string) {
  const { [key]: keyConfig, ...otherKeys } = pix?.chaves ?? {}
  const current = keyConfig?.recebimento
  if (current?.webhook?.notificar?.pixSemTxid === true) return null
  const recebimento = {
    txidObrigatorio: false,
    qrCodeEstatico: { recusarTodos: false },
    ...current,
    webhook: { ...current?.webhook, notificar: { ...current?.webhook?.notificar, pixSemTxid: true } },
  }
  return {
    ...others,
    pix: { receberSemChave: true, ...pix, chaves: { ...otherKeys, [key]: { ...keyConfig, recebimento } } },
  }
}
