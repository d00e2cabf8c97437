# A plugin program, written from the protocol page alone: JSON-RPC 2.0, one message per line.
use strict;
use warnings;
use JSON::PP;

$| = 1;
my $json = JSON::PP->new->utf8;

sub answer { print $json->encode({jsonrpc => "2.0", @_}), "\n" }

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    my $method = $message->{method};
    if ($method eq "initialize") {
        answer(id => $message->{id}, result => {name => "shout", version => "1.0.0", actions => ["shout.text"]});
    } elsif ($method eq "run") {
        my $text = $message->{params}{inputs}{text};
        if ($text eq "") {
            answer(id => $message->{id}, error => {code => "nothing-to-say", message => "text is empty"});
        } else {
            answer(method => "log", params => {id => $message->{id}, level => "info", message => "saying it louder"});
            answer(id => $message->{id}, result => {outputs => {text => uc($text) . "!"}});
        }
    } elsif ($method eq "shutdown") {
        last;
    }
}
