/** The release workflow: what it runs exists, it publishes every package after those it needs, and with provenance. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { listPublished } from '../../scripts/packing/list-published.ts'
import { findReleaseProblems } from '../../scripts/packing/release-problems.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(`${ROOT}/.github/workflows/release.yml`, 'utf8')
const { jobs, permissions } = parse(text)
const scriptOf = (job: { steps: readonly { run?: string }[] }) => job.steps.map(({ run = '' }) => run).join('\n')
const published = listPublished(ROOT)
const manifests = published.map(({ manifest }) => manifest)

test('every script that it runs exists', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
  const used = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name)
  expect(used).toEqual(expect.arrayContaining(['build', 'pack', 'sbom', 'release-check']))
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('only the job that publishes can sign, and it runs nothing of the repository', () => {
  expect(permissions).toEqual({ contents: 'read' })
  expect(jobs.build.permissions).toBeUndefined()
  expect(jobs.publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' })
  expect(scriptOf(jobs.publish)).not.toMatch(/npm (?:run|ci)\b/)
  expect(JSON.stringify(jobs.publish)).not.toContain('actions/checkout')
})

test('it publishes every package with provenance, each after those that it needs', () => {
  const script = scriptOf(jobs.publish)
  const scoped = /for name in ([^;]+); do/.exec(script)?.[1]?.split(' ') ?? []
  const order = [...scoped.map((name) => `@drover/${name}`), 'drover']
  expect([...order].sort()).toEqual(manifests.map(({ name }) => name).sort())
  for (const { name, dependencies, peerDependencies } of manifests)
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies }).filter((other) => order.includes(other)))
      expect(order.indexOf(needed), `${name} needs ${needed}`).toBeLessThan(order.indexOf(name))
  const publishes = script.match(/npm publish .*/g) ?? []
  expect(publishes.length).toBe(2)
  for (const line of publishes) expect(line).toContain('--provenance')
})

test('a tag is released only if every package has its version and the changelog its section', () => {
  const version = manifests[0]?.version ?? ''
  const changelog = `# Changelog\n\n## [${version}] - 2030-01-01\n`
  expect(findReleaseProblems({ tag: `v${version}`, manifests, changelog })).toEqual([])
  expect(findReleaseProblems({ tag: `v${version}`, manifests, changelog: '## [Unreleased]' })).toHaveLength(1)
  const other = findReleaseProblems({ tag: 'v9.9.9', manifests, changelog })
  expect(other).toContain(`drover has version ${version}, not 9.9.9`)
  expect(other).toContain(`drover needs @drover/server ${version}, not 9.9.9`)
  expect(findReleaseProblems({ tag: 'latest', manifests, changelog })).toEqual(['latest is not a tag like v1.2.3'])
})
