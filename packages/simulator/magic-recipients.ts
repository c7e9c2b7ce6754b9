import type { CallFault, ConsumedFault } from './faults.ts'
import type { ScriptedOutcome } from './scripted-outcome.ts'
import type { SimulatorStore } from './store.ts'
import type { SimulatedRecipient } from './transfers.ts'

/**
 * A recipient whose key decides the outcome of a transfer (SPEC §10): `<name>@sim.trilho.test`. So a demo or a test
 * needs no control call. A transfer to any other valid key settles.
 */
type MagicRecipient =
  | { kind: 'none' }
  /** Refused in the answer with this code of the rail. */
  | { kind: 'refused'; code: string }
  /** Accepted, then rejected with this code by notification. */
  | { kind: 'rejected_later'; code: string }
  /** Settled, then returned whole by the recipient. */
  | { kind: 'returned' }
  | { kind: 'fault'; fault: CallFault }

const MAGIC_DOMAIN = '@sim.trilho.test'

/** Codes of the rail's rejections (SPI catalogue, pacs.002). */
const RAIL_CODES = new Set(
  `AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AG13 AGNT AM01 AM02 AM04 AM09 AM12 AM18 AM23 BE01 BE05 BE15 BE17
   CH11 CH16 CN01 DS02 DS04 DS0G DS27 DT02 DT05 DU03 DUPL ED05 FF07 FF08 FRAD INDT MD01 RC09 RC10 RR04 RR06 SL02
   UPAY`.split(/\s+/),
)

/** A key that no account has, for providers whose API looks keys up. Any other valid key has an owner. */
export function isUnknownMagicKey(key: string): boolean {
  return key === `unknown${MAGIC_DOMAIN}` || key === `not-registered${MAGIC_DOMAIN}`
}

/** A key that is marked for fraud: no look-up shows its owner, and nothing is paid to it. */
export const FRAUD_MARKED_KEY = `fraud-marked${MAGIC_DOMAIN}`
/** A key whose owner has changed after the first look-up. */
export const CHANGING_KEY = `owner-changes${MAGIC_DOMAIN}`
/** The key of a joint account: its name has two people. */
export const JOINT_KEY = `joint${MAGIC_DOMAIN}`

const FAULT_BY_NAME: Record<string, CallFault> = {
  'timeout-then-done': 'timeout_then_done',
  'timeout-then-absent': 'timeout_then_absent',
  slow: 'slow',
}

/**
 * Codes of the rail for accounts whose number decides the outcome, as the numbers of Woovi's sandbox: one that does not exist, and two
 * that are blocked. With hyphens or leading zeros it is the same number.
 */
const ACCOUNT_CODES = new Map([
  ['1111111', 'AC03'],
  ['3333333', 'AC06'],
  ['1010101', 'AC06'],
])

/** Reads a number of an account as magic ones are written. */
export function normalizeAccountNumber(number: string): string {
  return number.replaceAll('-', '').replace(/^0+/, '')
}

function parseMagicAccount({ account }: Pick<SimulatedRecipient, 'account'>): MagicRecipient {
  const code = account && ACCOUNT_CODES.get(normalizeAccountNumber(account.number))
  return code === undefined ? { kind: 'none' } : { kind: 'rejected_later', code }
}

function parseMagicRecipient(key: string | null): MagicRecipient {
  if (!key?.endsWith(MAGIC_DOMAIN)) return { kind: 'none' }
  const name = key.slice(0, -MAGIC_DOMAIN.length)
  const fault = FAULT_BY_NAME[name]
  if (fault) return { kind: 'fault', fault }
  if (name === 'returned') return { kind: 'returned' }
  const [code = '', suffix] = name.toUpperCase().split('-')
  if (!RAIL_CODES.has(code)) return { kind: 'none' }
  if (suffix === 'LATER') return { kind: 'rejected_later', code }
  return suffix === undefined ? { kind: 'refused', code } : { kind: 'none' }
}

/** Owner of every key that belongs to no simulated account. */
export const DEFAULT_RECIPIENT_NAME = 'Favorecido de Teste'
export const DEFAULT_RECIPIENT_DOCUMENT = '52998224725'
/** A company at another bank, and its key: the receiver of the simulated codes of other banks. */
export const FOREIGN_COMPANY = {
  key: '7407c9c8-f78b-11ea-adc1-0242ac120002',
  name: 'Fornecedora de Fora SA',
  document: '11444777000161',
} as const
/** Owner of the changing key after the change. */
export const NEXT_RECIPIENT = { name: 'Outra Pessoa de Teste', document: '39053344705' } as const
export const JOINT_RECIPIENT_NAME = 'Ana Lima e Bruno Souza'

/**
 * Outcome of a transfer by its magic key, account or amount: refused in the answer, or accepted, with the recipient's returns.
 */
export type MagicOutcome = { refused: string } | { outcome: ScriptedOutcome; returnedCents: number[] }

export function findMagicOutcome(
  recipient: Pick<SimulatedRecipient, 'key' | 'account'>,
  cents: number,
): MagicOutcome {
  const magic = recipient.key === null ? parseMagicAccount(recipient) : parseMagicRecipient(recipient.key)
  switch (magic.kind) {
    case 'refused':
      return { refused: magic.code }
    case 'rejected_later':
      return { outcome: { kind: 'rejected', code: magic.code }, returnedCents: [] }
    case 'returned':
      return { outcome: { kind: 'settles' }, returnedCents: [cents] }
    case 'none':
    case 'fault':
      return { outcome: { kind: 'settles' }, returnedCents: [] }
    default:
      return magic satisfies never
  }
}

/**
 * Finds the fault that a recipient's key causes; null if none. An answer is withheld only the first time: a repeat
 * with the same id is answered, otherwise such a transfer could never end.
 */
export function findRecipientFault(
  store: SimulatorStore,
  transfer: { accountId: string; id: string; key: string | null },
): ConsumedFault<CallFault> | null {
  const magic = parseMagicRecipient(transfer.key)
  if (magic.kind !== 'fault') return null
  if (magic.fault !== 'slow' && !isFirstRequest(store, transfer)) return null
  return { fault: magic.fault, delayMs: null }
}

function isFirstRequest(
  store: SimulatorStore,
  { accountId, id }: { accountId: string; id: string },
): boolean {
  return store.run('INSERT OR IGNORE INTO withheldAnswer VALUES (?, ?)', accountId, id) === 1
}
