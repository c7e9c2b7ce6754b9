import type { z } from 'zod'
import { type AccountBody, accountBody } from '../../src/simulator/control/schemas.ts'
import type { Random } from './random.ts'

/** Accounts with a text option share this one, so that several are of one company. */
const SHARED_TEXT = 'storm'

/** Draws a value for every option that the simulator has for an account, so that new options are drawn as well. */
export function drawAccountOptions(random: Random): NonNullable<AccountBody['options']> {
  return Object.fromEntries(
    Object.entries(accountBody.shape.options.unwrap().shape).flatMap(([name, schema]) => {
      const values = listValues(schema)
      const value = random.pick(values)
      return value === undefined ? [] : [[name, value]]
    }),
  )
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
