import type { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { PixKeyType } from '../../domain/pix-key.ts'
import { CAPABILITIES } from '../../domain/provider.ts'
import type { Token } from '../auth.ts'
import { candidatesFor, type Refused, wrongProvider } from '../candidates.ts'
import type { FieldErrors } from '../check.ts'
import { refuse, refuseField } from '../errors.ts'
import { unpaused } from '../paused.ts'

export type Wanted = { token: Token; providerUuid: string | undefined; type: PixKeyType }

/** Who is to make a key: the token's provider, else the named one, else the first of the defaults (api-document.txt). */
export async function makerOf(em: EntityManager, { type, ...wanted }: Wanted): Promise<Connection> {
  const [first] = await candidatesFor(em, wanted)
  const why = whyNot(first!, type)
  if (why === 'pool') refuseField('provider_uuid', poolMessage(first!))
  if (why === 'unsupported')
    refuse('key_not_supported', { errors: { type: [unsupportedMessage(first!, type)] } })
  return first!
}

/**
 * Whether a code for such a key can be of any use, so that none is sent in vain. Where no provider is named, any default
 * that makes such keys will do: which one, POST /pix-keys says.
 */
export async function requireMaker(em: EntityManager, { type, ...wanted }: Wanted): Promise<void> {
  const able = (await candidatesFor(em, wanted)).filter(one => whyNot(one, type) === null)
  if (able.length === 0) await makerOf(em, { type, ...wanted })
  else unpaused(able, 'in')
}

/** What is wrong with the provider of a key whose body its schema has refused already: all is said at once. */
export function wrongMaker(refused: Refused) {
  return wrongProvider(refused, ([first]) => poolErrors([first!]))
}

/** The same of a code, for which any default will do. */
export function wrongForCode(refused: Refused) {
  return wrongProvider(refused, poolErrors)
}

function poolErrors(makers: Connection[]): FieldErrors {
  const errors: FieldErrors = {}
  if (makers.every(isPool)) errors.provider_uuid = [poolMessage(makers[0]!)]
  return errors
}

function isPool({ type }: Connection): boolean {
  return type !== 'NOMINAL'
}

function whyNot(connection: Connection, type: PixKeyType): 'pool' | 'unsupported' | null {
  if (isPool(connection)) return 'pool'
  return CAPABILITIES[connection.dialect].keys.includes(type) ? null : 'unsupported'
}

function poolMessage({ provider }: Connection): string {
  return `must be a NOMINAL provider: ${provider} is a POOL, whose account is the service's`
}

export function unsupportedMessage({ provider, dialect }: Connection, type: PixKeyType): string {
  const able = CAPABILITIES[dialect].keys.filter(one => one !== type)
  return `${provider} does not make ${type} keys for this account; it makes ${able.join(', ')}`
}
