# The same as the npm scripts of package.json, for those who type make.
targets := build test lint typecheck format quickstart

.PHONY: help install ci $(targets) pack bench conformance

help: ## Print the targets
	@printf '%s\n' install ci $(targets) 'pack DIR=...' 'bench NAME=...' 'conformance NAME=...'

install:
	npm ci

ci:
	bash .ci/run

$(targets):
	npm run $@

pack:
	npm run pack -- $(DIR)

bench:
	npm run bench -- $(NAME)

conformance:
	npm run conformance -- $(NAME)
