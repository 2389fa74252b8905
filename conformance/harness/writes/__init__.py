"""What writing adds: the gate, the journal, the procedures, the tours, putting back.

The way of one write, each a call of the next, so that a debugger shows all of them: `WriteRunner` runs a lane
for each appliance; `Conducting` says what is made in which state of it; `Making` makes a batch and puts back,
whatever comes; `Player` plays the scripts of a batch; `Lane.ask` returns what is answered to a request, once
the gate has let it pass. What of that is to be made again, `Unsure` says, and nothing else.
"""
