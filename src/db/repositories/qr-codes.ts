import type { IncomingPix } from '../../domain/providers/provider.ts'
import { isTxidDropped, type QrCodeStatus } from '../../domain/qr-codes/qr-code.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Connection } from '../entities/connection.ts'
import { Movement } from '../entities/movement.ts'
import { QrCode } from '../entities/qr-code.ts'

type ReceivedPix = Pick<IncomingPix, 'txid' | 'cents' | 'pixKey'>

/**
 * Finds the static code that a PIX paid: by its txid, whatever the status of the code. Some payers' apps drop the txid
 * (bacen/pix-api #346): a PIX without one paid a code only where that is the only active code of its key that its value fits, and has
 * that value: an open amount fits any PIX to the key, which proves nothing. At a shared provider account it paid none, because the
 * codes of several merchants have one key there.
 */
export async function findPaidQrCode(
  em: EntityManager,
  { providerAccountUuid, type }: Pick<Connection, 'providerAccountUuid' | 'type'>,
  payment: ReceivedPix,
): Promise<QrCode | null> {
  const { txid, pixKey } = payment
  const named = txid === null ? null : await em.findOne(QrCode, { providerAccountUuid, txid })
  // A txid of ours in a PIX to another key is no code of ours.
  if (named) return pixKey === '' || pixKey === named.pixKey ? named : null
  if (type === 'POOL' || pixKey === '' || !isTxidDropped(txid)) return null
  const { cents } = payment
  const [only, second] = await findCodesThatFit(em, { providerAccountUuid, pixKey, cents, limit: 2 })
  return only && !second && only.valueCents != null ? only : null
}

type FittingCodes = {
  providerAccountUuid: string
  pixKey: string
  cents: number
  limit: number
  accountUuid?: string
  uuid?: string
}

/**
 * Finds the active codes that a PIX of this key and value may have paid, the newest first: those of its value and those with an
 * open amount. That of a charge is active until the charge is paid or cancelled.
 */
function findCodesThatFit(em: EntityManager, { limit, cents, ...owner }: FittingCodes): Promise<QrCode[]> {
  return em
    .createQueryBuilder(QrCode, 'q')
    .where({ ...owner, status: 'ACTIVE' satisfies QrCodeStatus })
    .andWhere('(q.value_cents is null or q.value_cents + q.fee_cents = ?)', [cents])
    .andWhere(
      "(not q.is_single or exists (select from charge c where c.uuid = q.uuid and c.state = 'pending'))",
    )
    .orderBy({ createdAt: 'desc', uuid: 'desc' })
    .limit(limit)
    .getResultList()
}

/** Most codes that are shown for one deposit. */
const MAX_HINTS = 10

/**
 * Finds the codes of an account that a deposit without a txid may have paid, the newest first: a person may know which one it was. Empty
 * for any other PIX. `codeUuid`: only this code, where it is one of them.
 */
export async function findCodesOfDeposit(
  em: EntityManager,
  depositUuid: string,
  codeUuid?: string,
): Promise<QrCode[]> {
  const deposit = await em.findOne(Movement, { uuid: depositUuid, reason: 'deposit', movementType: 'IN' })
  if (!deposit?.pixKey || !isTxidDropped(deposit.txid ?? null)) return []
  const { accountUuid, providerAccountUuid, pixKey, valueCents: cents } = deposit
  const owner = { accountUuid, providerAccountUuid, ...(codeUuid !== undefined && { uuid: codeUuid }) }
  return findCodesThatFit(em, { ...owner, pixKey, cents, limit: MAX_HINTS })
}
