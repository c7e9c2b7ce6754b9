import { expect, test } from '@jest/globals'
import {
  COMPOSITION_ROOTS,
  importsOf,
  isSource,
  readSourceImports,
  type SourceImport,
} from './support/source-imports.ts'

/** No file of `src` leads back to itself by its imports, type imports and re-exports included. */

const sourceImports = await readSourceImports()

test('no imports of src form a circle', () => {
  expect(findCircles(sourceImports).map(circle => circle.join(' → '))).toEqual([])
})

/** Returns the folder of a file. Some folders inside another one have arrows of their own. */
const folderOf = (file: string) =>
  /^(workflows\/(contracts|bundle)|packages\/\w+)(?=\/)|^[^/]+/.exec(file)![0]

test('no folders of src form a circle', () => {
  const imports = sourceImports
    .filter(({ from, to }) => !COMPOSITION_ROOTS.test(from) && isSource(to))
    .map(({ from, to, isType }) => ({ from: folderOf(from), to: folderOf(to), isType }))
    .filter(({ from, to }) => from !== to)
  expect(imports).toContainEqual({ from: 'admin', to: 'temporal', isType: false })
  expect(findCircles(imports).map(circle => circle.join(' → '))).toEqual([])
})

test('a planted circle of a type import, a re-export and an import() is found and shown in order', async () => {
  const planted = {
    'src/a.ts': `import type { B } from './inner/b.ts'`,
    'src/inner/b.ts': `export { c } from '../c.ts'`,
    'src/c.ts': `export const load = () => import('./d.ts')`,
    'src/d.ts': `let a: import('./a.ts').A\nimport './beside.ts'`,
    'src/beside.ts': `import { join } from 'node:path'`,
    'src/self.ts': `import { other } from './self.ts'`,
  }
  const imports = await Promise.all(Object.entries(planted).map(([file, text]) => importsOf(file, text)))
  expect(findCircles(imports.flat())).toEqual([
    ['a', 'inner/b', 'c', 'd', 'a'],
    ['self', 'self'],
  ])
  expect(findCircles(imports.flat().filter(({ from }) => from !== 'd' && from !== 'self'))).toEqual([])
})

/** Finds one shortest circle through the first file of each group of files that reach each other. */
function findCircles(imports: SourceImport[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const importedBy = (file: string) => (targets.get(file) ?? []).map(({ to }) => to)
  const circles: string[][] = []
  const done = new Set<string>()
  for (const file of [...targets.keys()].sort()) {
    if (done.has(file)) continue
    const circle = findShortestPath(file, importedBy)
    if (!circle) continue
    circles.push(circle)
    for (const member of findComponent(file, importedBy)) done.add(member)
  }
  return circles
}

type Targets = (file: string) => string[]

/** Breadth first: the shortest way from a file back to itself. */
function findShortestPath(start: string, importedBy: Targets): string[] | null {
  const previous = new Map<string, string>()
  const queue = [start]
  for (const file of queue)
    for (const target of importedBy(file)) {
      if (target === start) return [...pathTo(file, previous), start]
      if (previous.has(target)) continue
      previous.set(target, file)
      queue.push(target)
    }
  return null
}

function pathTo(file: string, previous: Map<string, string>): string[] {
  const before = previous.get(file)
  return before === undefined ? [file] : [...pathTo(before, previous), file]
}

/** The strongly connected component of a file: what it reaches and is reached from. */
function findComponent(start: string, importedBy: Targets): string[] {
  return reach(start, importedBy).filter(file => reach(file, importedBy).includes(start))
}

function reach(start: string, importedBy: Targets): string[] {
  const reached = new Set([start])
  for (const file of reached) for (const target of importedBy(file)) reached.add(target)
  return [...reached]
}
