import type { z } from 'zod'
import { type AccountBody, accountBody } from '../../packages/simulator/control/schemas.ts'
import type { Random } from './random.ts'

/** Accounts with a text option share this one, so that several are of one company. */
const SHARED_TEXT = 'storm'

/**
 * Options with one value in a storm. Where an account shows no funds recovery, nothing says that an accepted dispute returns
 * no more: it ends 90 days after its PIX only.
 */
const FIXED_OPTIONS = {
  funds_recovery: 'served',
  // The number in the credentials of the connection.
  account_number: '13525622',
  // An order that waits for approval is the fault `order_left`.
  approval_above: undefined,
  // A token without a scope refuses calls for good.
  withheld_scopes: [],
} satisfies AccountBody['options']

/** Draws a value for every other option that the simulator has for an account, so that new options are drawn as well. */
export function drawAccountOptions(random: Random): NonNullable<AccountBody['options']> {
  const drawn = Object.entries(accountBody.shape.options.unwrap().shape).flatMap(([name, schema]) => {
    if (name in FIXED_OPTIONS) return []
    const value = random.pick(listValues(schema))
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(drawn), ...FIXED_OPTIONS }
}

/** Lists the values of an option; undefined: absent. */
function listValues(schema: z.core.$ZodType): (string | boolean | undefined)[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'default':
      return listValues(def.innerType)
    case 'optional':
      return [undefined, ...listValues(def.innerType)]
    case 'boolean':
      return [false, true]
    case 'enum':
      return Object.values(def.entries) as string[]
    case 'string':
      return [SHARED_TEXT]
    default:
      throw new Error(`no values to draw for an option of type ${def.type}`)
  }
}
