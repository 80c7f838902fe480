/** What keeps a tag from being released: all packages have its version, and the changelog has its section. */
import type { Manifest } from './list-published.ts'

export interface ReleaseFacts {
  readonly tag: string
  readonly manifests: readonly Manifest[]
  readonly changelog: string
}

export function findReleaseProblems({ tag, manifests, changelog }: ReleaseFacts): readonly string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`${tag} is not a tag like v1.2.3`]
  const problems = manifests.flatMap((manifest) => [
    ...(manifest.version === version ? [] : [`${manifest.name} has version ${manifest.version}, not ${version}`]),
    ...Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter(([name, wanted]) => manifests.some((own) => own.name === name) && wanted !== version)
      .map(([name, wanted]) => `${manifest.name} needs ${name} ${wanted}, not ${version}`),
  ])
  const hasSection = changelog.split('\n').some((line) => line.startsWith(`## [${version}] - `))
  return hasSection ? problems : [...problems, `CHANGELOG.md has no section "## [${version}] - <date>"`]
}
