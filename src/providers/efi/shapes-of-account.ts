import { z } from 'zod'
import { sum } from './shapes.ts'

/** Efí's wire, of what concerns the account as a whole. */

export const saldo = z.object({
  saldo: sum,
  bloqueios: z.object({ total: sum }).nullish(),
})

/** Only what is changed here is looked at; everything else goes back as it came. */
const receiving = z.looseObject({
  webhook: z
    .looseObject({ notificar: z.looseObject({ pixSemTxid: z.boolean().nullish() }).nullish() })
    .nullish(),
})
const ofKey = z.looseObject({ recebimento: receiving.nullish() })
export const accountConfig = z.looseObject({
  pix: z.looseObject({ chaves: z.record(z.string(), ofKey).nullish() }).nullish(),
})
export type AccountConfig = z.infer<typeof accountConfig>

/**
 * The configuration that has PIX without a txid notified for a key, or null where it is so already ("Criar/modificar
 * configurações da conta"). What Efí requires and the account has not set keeps nothing from being received.
 */
export function withPixWithoutTxid({ pix, ...others }: AccountConfig, key: string): AccountConfig | null {
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
