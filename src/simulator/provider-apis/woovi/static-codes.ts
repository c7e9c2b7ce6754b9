import type { SimulatorStore } from '../../store.ts'

/** A code that can be paid again and again; the rail knows it by its identifier. Deleted, it is not shown any more. */
export type WooviStaticCode = {
  accountId: string
  id: string
  correlationID: string
  identifier: string
  name: string
  /** Null leaves the amount to the payer. */
  cents: number | null
  comment: string | null
  key: string
  payload: string
  createdAt: string
  isDeleted: 0 | 1
}

/** The code of an account that a PIX with this txid paid, deleted or not: the rail goes on paying it. */
export function findPaidStaticCode(
  store: SimulatorStore,
  accountId: string,
  txid: string | null,
): WooviStaticCode | undefined {
  return store.first<WooviStaticCode>(
    'SELECT * FROM wooviStaticCode WHERE accountId = ? AND identifier = ?',
    accountId,
    txid,
  )
}

/** `PixQrCode` (OpenAPI), with the identifier of its examples. */
export function presentWooviStaticCode(code: WooviStaticCode) {
  const { id, name, cents, comment, identifier, correlationID, key, payload, createdAt } = code
  return {
    name,
    ...(cents === null ? {} : { value: cents }),
    comment: comment ?? '',
    ...{ identifier, correlationID },
    paymentLinkID: id,
    paymentLinkUrl: `https://woovi.com/pay/${id}`,
    qrCodeImage: `https://api.woovi.com/openpix/pixQrCode/brcode/image/${id}.png`,
    pixKey: key,
    brCode: payload,
    ...{ createdAt, updatedAt: createdAt },
  }
}
