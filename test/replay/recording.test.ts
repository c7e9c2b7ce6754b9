import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createTemporaryFolder } from '../support/servers.ts'
import { writeHistory } from '../support/workflow-story-recording.ts'

/** A history that is written over by what today's code does proves nothing any more. */

test.each([
  ['1', 'of an earlier release'],
  ['overwrite', 'of today'],
])('RECORD_HISTORIES=%s leaves the history %s', async (mode, text) => {
  const folder = await createTemporaryFolder()
  const [existing, fresh] = [join(folder.path, 'story.json'), join(folder.path, 'transferWorkflow/new.json')]
  await writeFile(existing, 'of an earlier release')
  await writeHistory(existing, 'of today', mode)
  await writeHistory(fresh, 'first', mode)
  await writeHistory(fresh, 'last of this story', mode)
  expect(await readFile(existing, 'utf8')).toBe(text)
  expect(await readFile(fresh, 'utf8')).toBe('last of this story')
  await folder.remove()
})

test('any other value is refused', async () => {
  await expect(writeHistory('none.json', '', 'yes')).rejects.toThrow('RECORD_HISTORIES is 1 or overwrite.')
})
