import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { codeBlocks, runbooks } from '../docs/support/runbooks.ts'
import { openWorld, type World } from './support/world.ts'

/** The SQL of the runbooks runs against the schema of this release. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

const statements = runbooks.flatMap(runbook =>
  codeBlocks(runbook, 'sql').map(sql => ({ file: runbook.file, sql })),
)

test('there are statements', () => expect(statements.length).toBeGreaterThan(4))

test.each(statements)('$file runs: $#', async ({ sql }) => {
  expect(sql).toMatch(/^(select|show)\b/)
  await expect(world.orm.em.fork().execute(sql)).resolves.toBeInstanceOf(Array)
})
