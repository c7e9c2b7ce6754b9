import type { Fate } from './events.ts'
import type { CallFault, Taken } from './faults.ts'
import type { Store } from './store.ts'

/**
 * The recipients whose key alone decides what happens (SPEC §10): `<name>@sim.trilho.test`. So a demo or a test
 * needs no control call. Every other well-formed key settles.
 */
type Magic =
  | { kind: 'none' }
  /** Refused in the request with this code of the rail. */
  | { kind: 'refused'; code: string }
  /** Accepted, then rejected with it by notice. */
  | { kind: 'rejected_later'; code: string }
  /** Settles, then the recipient gives everything back. */
  | { kind: 'returned' }
  | { kind: 'fault'; fault: CallFault }

const DOMAIN = '@sim.trilho.test'

/** The codes the rail may reject with (SPI catalogue, pacs.002). */
const RAIL_CODES = new Set(
  `AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AG13 AGNT AM01 AM02 AM04 AM09 AM12 AM18 AM23 BE01 BE05 BE15 BE17
   CH11 CH16 CN01 DS02 DS04 DS0G DS27 DT02 DT05 DU03 DUPL ED05 FF07 FF08 FRAD INDT MD01 RC09 RC10 RR04 RR06 SL02
   UPAY`.split(/\s+/),
)

const FAULT_OF: Record<string, CallFault> = {
  'timeout-then-done': 'timeout_then_done',
  'timeout-then-absent': 'timeout_then_absent',
  slow: 'slow',
}

function magicOf(key: string | null): Magic {
  if (!key?.endsWith(DOMAIN)) return { kind: 'none' }
  const name = key.slice(0, -DOMAIN.length)
  const fault = FAULT_OF[name]
  if (fault) return { kind: 'fault', fault }
  if (name === 'returned') return { kind: 'returned' }
  const [code = '', later] = name.toUpperCase().split('-')
  if (!RAIL_CODES.has(code)) return { kind: 'none' }
  if (later === 'LATER') return { kind: 'rejected_later', code }
  return later === undefined ? { kind: 'refused', code } : { kind: 'none' }
}

/** Whoever has a key that belongs to no simulated account. */
export const RECIPIENT_NAME = 'Favorecido de Teste'
export const RECIPIENT_DOCUMENT = '52998224725'

/** What becomes of a sending: refused in the request, or its fate and what comes back of it. */
export type Foretold = { refused: string } | { fate: Fate; comesBack: number[] }

export function foretold(key: string | null, cents: number): Foretold {
  const magic = magicOf(key)
  switch (magic.kind) {
    case 'refused':
      return { refused: magic.code }
    case 'rejected_later':
      return { fate: { kind: 'rejected', code: magic.code }, comesBack: [] }
    case 'returned':
      return { fate: { kind: 'settles' }, comesBack: [cents] }
    case 'none':
    case 'fault':
      return { fate: { kind: 'settles' }, comesBack: [] }
    default:
      return magic satisfies never
  }
}

/**
 * The fault a recipient's key asks for, if any. An answer is withheld once: the same id sent again is answered, or
 * else such a sending could never end.
 */
export function faultOfRecipient(
  store: Store,
  sending: { accountId: string; id: string; key: string | null },
): Taken<CallFault> | null {
  const magic = magicOf(sending.key)
  if (magic.kind !== 'fault') return null
  if (magic.fault !== 'slow' && !isFirst(store, sending)) return null
  return { fault: magic.fault, delayMs: null }
}

function isFirst(store: Store, { accountId, id }: { accountId: string; id: string }): boolean {
  return store.run('INSERT OR IGNORE INTO withheld VALUES (?, ?)', accountId, id) === 1
}
