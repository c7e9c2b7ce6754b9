import { z } from 'zod'
import { efiSumSchema } from './schemas.ts'

/** Efí's wire, of what concerns the account as a whole. */

export const efiSaldoSchema = z.object({
  saldo: efiSumSchema,
  bloqueios: z.object({ total: efiSumSchema }).nullish(),
})

/** Only what is changed here is looked at; everything else goes back as it came. */
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
 * The configuration that has PIX without a txid notified for a key, or null where it is so already ("Criar/modificar
 * configurações da conta"). What Efí requires and the account has not set keeps nothing from being received.
 */
export function enablePixWithoutTxid(
  { pix, ...others }: EfiAccountConfig,
  key: string,
): EfiAccountConfig | null {
  const { [key]: own, ...rest } = pix?.chaves ?? {}
  const receives = own?.recebimento
  if (receives?.webhook?.notificar?.pixSemTxid === true) return null
  const recebimento = {
    ...{ txidObrigatorio: false, qrCodeEstatico: { recusarTodos: false } },
    ...receives,
    webhook: { ...receives?.webhook, notificar: { ...receives?.webhook?.notificar, pixSemTxid: true } },
  }
  return {
    ...others,
    pix: { receberSemChave: true, ...pix, chaves: { ...rest, [key]: { ...own, recebimento } } },
  }
}
