import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { ROOT } from './support/documents.ts'

/** What is built from other people's code: the actions of the workflows, and the list of production packages. */

test('every action of the workflows is pinned by its commit, with its version in a comment', async () => {
  const folder = join(ROOT, '.github/workflows')
  const texts = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
  const uses = texts.flatMap(text => text.split('\n')).filter(line => /^\s*(- )?uses:/.test(line))
  expect(uses.length).toBeGreaterThan(3)
  const unpinned = uses.filter(line => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
  expect(unpinned).toEqual([])
})

type LockedPackage = { version: string; integrity?: string; name?: string; dev?: boolean; link?: boolean }

test('npm run sbom lists every production package of the lock file, and no other', async () => {
  const program = join(ROOT, 'packages/dev/write-sbom.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 1 << 26 })
  const sbom = JSON.parse(stdout)
  const { packages, name, version } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version } } })

  const references = sbom.components.map((component: { 'bom-ref': string }) => component['bom-ref'])
  const locked = Object.entries(packages as Record<string, LockedPackage>)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, found]) => `${found.name ?? path.replace(/.*node_modules\//, '')}@${found.version}`)
  expect(references.toSorted()).toEqual([...new Set(locked)].sort())
  const direct = Object.entries(manifest.dependencies).map(one => one.join('@'))
  expect(direct.length).toBeGreaterThan(30)
  expect(references).toEqual(expect.arrayContaining(direct))

  type Dependency = { ref: string; dependsOn: string[] }
  const known = new Set([...references, `${name}@${version}`])
  const unknown = sbom.dependencies.flatMap(({ ref, dependsOn }: Dependency) =>
    [ref, ...dependsOn].filter(one => !known.has(one)),
  )
  expect(unknown).toEqual([])
})
