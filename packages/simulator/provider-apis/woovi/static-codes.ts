import type { SimulatorStore } from '../../store.ts'

/** A static code, which can be paid any number of times; its identifier is the txid of those PIX. */
export type WooviStaticCode = {
  accountId: string
  id: string
  correlationID: string
  identifier: string
  name: string
  /** Null: the payer chooses the amount. */
  cents: number | null
  comment: string | null
  key: string
  payload: string
  createdAt: string
  /** 1: Woovi does not show it any more; it can still be paid. */
  isDeleted: 0 | 1
}

/** Finds the static code that a PIX with this txid paid, deleted codes included. */
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

/** Presents a static code as `PixQrCode` (OpenAPI), with the identifier of the examples. */
export function presentWooviStaticCode(code: WooviStaticCode) {
  const { id, name, cents, comment, identifier, correlationID, key, payload, createdAt } = code
  return {
    name,
    ...(cents === null ? {} : { value: cents }),
    comment: comment ?? '',
    identifier,
    correlationID,
    paymentLinkID: id,
    paymentLinkUrl: `https://woovi.com/pay/${id}`,
    qrCodeImage: `https://api.woovi.com/openpix/pixQrCode/brcode/image/${id}.png`,
    pixKey: key,
    brCode: payload,
    createdAt,
    updatedAt: createdAt,
  }
}
