// What danger is told to look at: how long lines are, where numbers are written as words.

const { danger, fail, markdown, message, warn } = require('danger');

const { commits, modified_files: changed } = danger.git;
const { approvals, mr } = danger.gitlab;

message(`${commits.length} commit to ${changed.join(', ')} for ${mr.title}`);
markdown(`Approved: ${approvals.approved}`);

schedule(async () => {
  const diff = await danger.git.diffForFile('list.txt');
  if (diff.added.includes('seven')) {
    fail('Numbers are digits.', 'list.txt', 7);
    warn('What comes before it is fine.', 'list.txt', 5);
    message('The last line is far away.', 'list.txt', 20);
    fail('There is a word.');
  }
});
