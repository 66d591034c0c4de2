import { basename } from 'node:path';

const kebabCase = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
const disables = /^\s*eslint-disable(?:-next-line|-line)?\b/;
const withReason = /\s--\s+\S/;

const kebabCaseFile = {
  meta: { type: 'suggestion', schema: [], messages: { name: 'File {{name}} is not kebab-case.' } },
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename);
      if (!kebabCase.test(name)) context.report({ node, messageId: 'name', data: { name } });
    },
  }),
};

const reasonedException = {
  meta: { type: 'suggestion', schema: [], messages: { reason: 'Say why: // eslint-disable-next-line rule -- reason' } },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (disables.test(comment.value) && !withReason.test(comment.value)) {
          context.report({ loc: comment.loc, messageId: 'reason' });
        }
      }
    },
  }),
};

/** Two rules of our own, too small for a package. */
export const project = { rules: { 'kebab-case-file': kebabCaseFile, 'reasoned-exception': reasonedException } };
