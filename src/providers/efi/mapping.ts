import type { ProviderPayout } from '../../domain/providers/provider.ts'
import { getBacenTime, mapBacenParty, PAYOUT_STATUSES } from '../bacen/mapping.ts'
import { toEfiRejection } from './errors.ts'
import type { EfiTransfer } from './schemas.ts'

/** Maps a sent PIX, without the returns of its recipient. */
export function mapEfiTransfer(pix: EfiTransfer): ProviderPayout {
  const { status, valor: cents, endToEndId, horario, favorecido, gnExtras } = pix
  const holder = favorecido?.identificacao ?? favorecido?.contaBanco
  return {
    status: PAYOUT_STATUSES[status],
    cents,
    endToEnd: endToEndId ?? '',
    at: getBacenTime(horario),
    ...(status === 'NAO_REALIZADO' ? toEfiRejection(gnExtras?.erro) : {}),
    receiver: holder ? mapBacenParty({ codigoBanco: favorecido?.contaBanco?.codigoBanco, ...holder }) : null,
  }
}
